import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { expect, test } from '@jest/globals';

const runModule = pathToFileURL(path.resolve(import.meta.dirname, '../lib/run.mjs')).href;

const endsByItself = 'process.exitCode = 7;';
const endsOnInterrupt = `
let interrupts = 0;
process.on('SIGINT', () => {
  interrupts++;
  setTimeout(() => { console.log('interrupts: ' + interrupts); process.exit(3); }, 300);
});
setInterval(() => {}, 1000);
console.log('ready');
`;
const endsByTheSignal = `setInterval(() => {}, 1000); console.log('ready');`;

/** Runs a program in the way in which `npm start` runs the demo. */
async function runner(
  program: string,
  whenReady?: (pid: number) => void,
): Promise<{ exitCode: number | null; output: string }> {
  const text = `import { run } from ${JSON.stringify(runModule)};
process.exitCode = await run(process.execPath, ['--eval', ${JSON.stringify(program)}]);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', text], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 30_000,
    killSignal: 'SIGKILL',
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
    if (chunk.includes('ready') && child.pid !== undefined) whenReady?.(child.pid);
  });
  const [exitCode] = (await once(child, 'close')) as [number | null];
  return { exitCode, output };
}

test('the exit code is that of the program', async () => {
  expect((await runner(endsByItself)).exitCode).toBe(7);
});

test('a SIGINT that arrives twice in quick succession reaches the program once, and the program has time to end', async () => {
  const { exitCode, output } = await runner(endsOnInterrupt, (pid) => {
    process.kill(pid, 'SIGINT');
    setTimeout(() => process.kill(pid, 'SIGINT'), 50);
  });
  expect(output).toContain('interrupts: 1');
  expect(exitCode).toBe(3);
});

test('a program ended by a signal has the exit code that a shell reports', async () => {
  const { exitCode } = await runner(endsByTheSignal, (pid) => {
    process.kill(pid, 'SIGTERM');
  });
  expect(exitCode).toBe(128 + 15);
});
