import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { rolldown, type Plugin } from 'rolldown';

import type { replay } from './replay.ts';

export interface Judgement {
  readonly replay: typeof replay;
}

/** The text of one module with the replay and all of the judgement. */
export async function judgementSource(
  input = path.join(import.meta.dirname, 'replay.ts'),
  plugins: readonly Plugin[] = [],
): Promise<string> {
  const bundle = await rolldown({
    input,
    plugins: [...plugins],
    platform: 'node',
    // For the ablation: its tests are modules that export nothing, and numbers keep their names.
    treeshake: false,
    optimization: { inlineConst: false },
  });
  try {
    const { output } = await bundle.generate({ format: 'esm', codeSplitting: false });
    return output[0].code;
  } finally {
    await bundle.close();
  }
}

/** Evaluates such a module. The sources themselves name their imports as the build does, which Node cannot load. */
export async function evaluateJudgement(source: string): Promise<Judgement> {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'loopwatch-judgement-'));
  const file = path.join(directory, 'judgement.mjs');
  try {
    writeFileSync(file, source);
    return (await import(pathToFileURL(file).href)) as Judgement;
  } finally {
    rmSync(directory, { recursive: true });
  }
}
