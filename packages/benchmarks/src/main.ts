// npm run bench -- [options]
//
// options.ts reads the command line, run.ts runs the chosen parts on one Node major. parts/ holds what is measured,
// subject/ starts and loads the measured processes (the programs in ../subjects), statistics/ turns series into
// estimates, report/ writes the tables, the results and docs/evidence/benchmarks.md.
import { help, parseOptions, parts } from './options.ts';
import { printResult } from './report/print-result.ts';
import { readResult, writeDocument, writeResult } from './report/document.ts';
import { runBenchmarks } from './run.ts';

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  if (options === 'help') {
    console.log(help);
    return;
  }
  for (const nodeMajor of options.nodeMajors) {
    const previous = readResult(nodeMajor);
    const result = await runBenchmarks(nodeMajor, options, showProgress);
    showProgress('');
    printResult(result, previous);
    if (options.write) {
      writeResult(nodeMajor, result, options.parts.length < parts.length);
      console.log(`Written: ${writeDocument()}`);
    }
  }
}

let shownStep = '';

/** Overwrites one line on a terminal; elsewhere prints one line per step, without the text after the colon. */
function showProgress(text: string): void {
  if (process.stderr.isTTY) {
    process.stderr.write(`\r\x1b[K${text}`);
    return;
  }
  const [step = ''] = text.split(':');
  if (step !== shownStep && step !== '') console.error(step);
  shownStep = step;
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
