import { readFile, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { rolldown } from 'rolldown';
import ts from 'typescript';

// This runs in a process of its own, because Rolldown's native code does not accept regular expressions of Jest's
// realm.

/**
 * Compiles TypeScript to JavaScript with a separate source map, and bundles `name.bundle.mjs` to a minified
 * `name.min.cjs`, as a deployment does.
 */
async function buildPrograms(directory: string): Promise<void> {
  const files = await readdir(directory);
  for (const file of files) {
    if (/\.[cm]ts$/.test(file)) await compile(directory, file);
    if (file.endsWith('.bundle.mjs')) await bundle(directory, file);
  }
}

/** The header of a program says so where it has no map. */
function isMapped(source: string): boolean {
  return !/ without (source )?maps/.test(source);
}

async function compile(directory: string, file: string): Promise<void> {
  const source = await readFile(path.join(directory, file), 'utf8');
  const output = file.replace(/ts$/, 'js');
  const { outputText, sourceMapText } = ts.transpileModule(source, {
    fileName: file,
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      sourceMap: isMapped(source),
      experimentalDecorators: file.includes('legacy-decorator'),
    },
  });
  await writeFile(path.join(directory, output), outputText);
  if (sourceMapText !== undefined) await writeFile(path.join(directory, `${output}.map`), sourceMapText);
}

async function bundle(directory: string, file: string): Promise<void> {
  const build = await rolldown({
    input: path.join(directory, file),
    platform: 'node',
    external: [/^node:/, /^@opentelemetry\//, /kit\/truth\.cjs$/],
  });
  await build.write({
    file: path.join(directory, file.replace('.bundle.mjs', '.min.cjs')),
    format: 'cjs',
    minify: true,
    sourcemap: isMapped(await readFile(path.join(directory, file), 'utf8')),
  });
  await build.close();
}

const directory = process.argv[2];
if (directory === undefined) throw new Error('Expected the folder of the programs as the only argument, got none.');
await buildPrograms(directory);
