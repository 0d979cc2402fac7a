import type { ProgramResult } from '../run-suite.ts';

export interface WrittenResult extends ProgramResult {
  readonly date: string;
  readonly machine: string;
}

export function documentOf(results: readonly WrittenResult[]): string {
  return `${results.length}\n`;
}
