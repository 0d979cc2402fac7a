import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';

import { apiExtractorConfigs } from '../lint/api-report.mjs';
import { checkTarball, pack } from '../lint/packed-packages.mjs';
import { Failure } from '../lib/failure.mjs';
import { workspacePackages } from '../lib/packages.mjs';
import { rootDirectory } from '../lib/paths.mjs';
import { prepare } from '../lib/prepare.mjs';
import { programStep } from '../lib/progress.mjs';
import { run } from '../lib/run.mjs';
import { releaseConditions, tagOf } from '../release/conditions.mjs';
import { releaseFacts, versionOf } from '../release/facts.mjs';
import { nextVersions } from '../release/next-versions.mjs';
import { writeSbom } from '../release/sbom.mjs';
import { tarballContent } from '../release/tarball-content.mjs';

/** @typedef {import('../lib/packages.mjs').WorkspacePackage} WorkspacePackage */
/** @typedef {{ member: WorkspacePackage, tarball: string }} Packed */

const usage = `Usage: npm run release -- [--dry-run]

  --dry-run   show the next versions and changelogs, the tarballs with their files, checks and software bills of
              materials, the commands for the tag, and which conditions of a release hold; publishes nothing

Without --dry-run it publishes, and only if all conditions hold: the release workflow meets them for a signed tag.
docs/versioning.md describes a release. The files are in temp/packs and temp/release.`;

const outputDirectory = path.join(rootDirectory, 'temp/release');

/**
 * `npm run release`: publishes the packages, or shows what it would publish.
 * @param {readonly string[]} releaseArguments
 */
export async function main(releaseArguments) {
  const isDryRun = releaseArguments.includes('--dry-run');
  if (releaseArguments.some((argument) => argument !== '--dry-run')) {
    console.log(usage);
    return releaseArguments.includes('--help') ? 0 : 2;
  }
  const published = workspacePackages().filter(({ isPublished }) => isPublished);
  if (!isDryRun) requireConditions(published);
  await prepare();
  if (isDryRun) await showNextVersions(published);
  const packed = await packAll(published);
  if (isDryRun) {
    showTag(published);
    console.log('\nDry run: nothing was published. A release needs all of these:');
    showConditions(published);
    return 0;
  }
  for (const each of packed) await publish(each);
  return 0;
}

/** @param {readonly WorkspacePackage[]} published */
function requireConditions(published) {
  const unmet = releaseConditions(releaseFacts(published)).filter(({ isMet }) => !isMet);
  if (unmet.length === 0) return;
  const list = unmet.map(({ title }) => `  - ${title}`).join('\n');
  throw new Failure(
    `Nothing was published. Expected all conditions of a release to hold, but these do not hold:\n${list}\n` +
      '`npm run release -- --dry-run` shows what a release would publish; docs/versioning.md says how one is made.',
  );
}

/** @param {readonly WorkspacePackage[]} published */
function showConditions(published) {
  for (const { title, isMet } of releaseConditions(releaseFacts(published))) {
    console.log(`  ${isMet ? '✓' : '✗'} ${title}`);
  }
}

/** @param {readonly WorkspacePackage[]} published */
async function showNextVersions(published) {
  const { pendingChangesets, versions } = releaseFacts(published);
  published.forEach(({ name }, index) => console.log(`${name}: version ${versions[index]}`));
  if (pendingChangesets.length === 0) {
    console.log('No changeset waits for a version.');
    return;
  }
  for (const { name, version, changelog } of await nextVersions(published)) {
    console.log(`\n${name}: next version ${version}, from ${pendingChangesets.join(', ')}\n\n${changelog}\n`);
  }
}

/**
 * @param {readonly WorkspacePackage[]} published
 * @returns {Promise<Packed[]>}
 */
async function packAll(published) {
  rmSync(outputDirectory, { recursive: true, force: true });
  mkdirSync(outputDirectory, { recursive: true });
  /** @type {Packed[]} */
  const packed = [];
  for (const member of published) {
    const tarball = await pack(member);
    const { packedBytes, unpackedBytes, files } = tarballContent(tarball);
    console.log(
      `\n${path.relative(rootDirectory, tarball)}: ${kilobytes(packedBytes)}, ${kilobytes(unpackedBytes)} unpacked`,
    );
    for (const { name, bytes } of files) console.log(`${kilobytes(bytes).padStart(10)}  ${name}`);
    await programStep(`As published: ${member.name}`, () =>
      checkTarball(tarball, apiExtractorConfigs(member.directory).length > 0),
    );
    const sbom = path.join(outputDirectory, `${path.basename(tarball, '.tgz')}.cdx.json`);
    const { componentCount } = writeSbom(member, tarball, sbom);
    console.log(`${path.relative(rootDirectory, sbom)}: ${componentCount} packages in it or installed with it`);
    packed.push({ member, tarball });
  }
  return packed;
}

/** @param {readonly WorkspacePackage[]} published */
function showTag(published) {
  const tag = tagOf(releaseFacts(published).versions[0] ?? '');
  console.log(`\nThe tag, signed by a maintainer, starts the release workflow:`);
  console.log(`  git tag --sign ${tag} --message ${tag}\n  git push origin ${tag}`);
}

/**
 * Publishes a tarball, unless the registry has this version: a release that failed half-way can be run again. npm proves
 * who it is, and where the tarball was built, by the OIDC token of the job.
 * @param {Packed} packed
 */
async function publish({ member, tarball }) {
  const version = versionOf(member);
  if ((await run('npm', ['view', `${member.name}@${version}`, 'version'])) === 0) {
    console.log(`${member.name}@${version} is published already.`);
    return;
  }
  await programStep(`Publish ${member.name}@${version}`, () =>
    run('npm', ['publish', tarball, '--provenance', '--access', 'public']),
  );
}

/** @param {number} bytes */
function kilobytes(bytes) {
  return `${(bytes / 1000).toFixed(1)} kB`;
}
