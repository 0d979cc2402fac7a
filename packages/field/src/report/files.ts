import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { catalogue } from '../catalogue/catalogue.ts';
import { describeMachine } from '@loopwatch/test-support';
import { documentFile, resultsDirectory } from '../paths.ts';
import { mergeFindings } from '../findings.ts';
import type { ProgramResult } from '../run-suite.ts';
import { documentOf, withoutFolders } from './document.ts';
import type { WrittenResult } from './document.ts';

/** Writes the result of a program. The runs that it does not have keep the findings of their last time. */
export function writeResult(result: ProgramResult): void {
  mkdirSync(resultsDirectory, { recursive: true });
  const written: WrittenResult = {
    date: new Date().toISOString().slice(0, 10),
    machine: describeMachine(),
    ...result,
    findings: mergeFindings(readResult(result.name)?.findings ?? [], result.findings),
  };
  writeFileSync(fileOf(result.name), `${withoutFolders(JSON.stringify(written, null, 2))}\n`);
}

/** Regenerates the document from the results of all programs. Returns its path. */
export function writeDocument(): string {
  const results = catalogue.map(({ name }) => readResult(name)).filter((result) => result !== undefined);
  writeFileSync(documentFile, documentOf(catalogue, results));
  return path.relative(process.cwd(), documentFile);
}

function readResult(name: string): WrittenResult | undefined {
  const file = fileOf(name);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as WrittenResult) : undefined;
}

function fileOf(name: string): string {
  return path.join(resultsDirectory, `${name}.json`);
}
