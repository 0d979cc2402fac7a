// npm run test:field -- [options]
//
// options.ts reads the command line, run-suite.ts runs the programs. install/ installs their packages and Loopwatch's,
// run/ runs one program once, profile/ and compare/ judge what it showed (pure functions over plain data), report/
// writes the results and docs/evidence/field.md. programs/ holds what each program is and does.
import { describeFailures } from './failures.ts';
import { help, parseOptions } from './options.ts';
import { writeDocument, writeResult } from './report/files.ts';
import { describeFindings } from './report/describe-findings.ts';
import { runFieldProgram } from './run-suite.ts';
import type { ProgramResult } from './run-suite.ts';

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  if (options === 'help') {
    console.log(help);
    return;
  }
  const results: ProgramResult[] = [];
  for (const program of options.programs) {
    const result = await runFieldProgram(program, { ...options, onProgress: showProgress }).catch(showError);
    if (result === undefined) continue;
    results.push(result);
    for (const findings of result.findings) console.log(describeFindings(result.name, findings));
    if (options.write) writeResult(result);
  }
  if (options.write) console.log(`Written: ${writeDocument()}`);
  const failures = describeFailures(results);
  if (failures.length === 0) return;
  console.error(`\n${failures.join('\n')}`);
  process.exitCode = 1;
}

function showProgress(text: string): void {
  console.error(text);
}

/** A program that does not work here takes none of the others with it. */
function showError(error: unknown): undefined {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

main().catch(showError);
