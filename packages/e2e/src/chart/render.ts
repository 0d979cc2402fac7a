import path from 'node:path';

import { parseAllDocuments } from 'yaml';

import { rootDirectory } from '../../../../scripts/lib/paths.mjs';
import { runCommand, type CommandResult } from '../commands.ts';

export const chartDirectory = path.join(rootDirectory, 'deploy/kubernetes/loopwatch');
/** Files in `values/` of the chart, without their ending. */
export const valuesFiles = ['small', 'cassandra-mimir', 'load-balancing'] as const;

/** An object of Kubernetes, as far as the tests read it. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly rules?: readonly { readonly resources: readonly string[]; readonly verbs: readonly string[] }[];
}

/** `helm template` with a values file of the chart and more settings. */
export function renderText(helm: string, values: string, ...settings: readonly string[]): CommandResult {
  const valuesFile = path.join(chartDirectory, `values/${values}.yaml`);
  // A list of numbers and an object need JSON: Helm takes the others for text.
  const set = settings.flatMap((setting) => [/=[[{]/.test(setting) ? '--set-json' : '--set', setting]);
  return runCommand(helm, ['template', 'lw', chartDirectory, '-n', 'watch', '-f', valuesFile, ...set]);
}

/** The same as objects; throws with the message of Helm. */
export function render(helm: string, values: string, ...settings: readonly string[]): Manifest[] {
  const { exitCode, output } = renderText(helm, values, ...settings);
  if (exitCode !== 0) throw new Error(`Expected helm template to succeed, got exit code ${exitCode}:\n${output}`);
  // Helm logs to the standard error stream, which follows the manifests.
  const manifests = output.replaceAll(/^level=.*$/gm, '');
  return parseAllDocuments(manifests).flatMap((document) => {
    if (document.errors.length > 0) throw document.errors[0]!;
    const manifest: unknown = document.toJS();
    return manifest === null ? [] : [manifest as Manifest];
  });
}

export function find(manifests: readonly Manifest[], kind: string, name: string): Manifest {
  const manifest = manifests.find((each) => each.kind === kind && each.metadata.name === name);
  if (manifest === undefined) throw new Error(`Expected a ${kind} named ${name} in the rendered chart.`);
  return manifest;
}
