/**
 * A build copies its workspace synchronously before each step.
 * @culprit prepareStep
 * @cause native javascript waiting gc
 * @parent build
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'workspace-'));
process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
for (let module = 0; module < 25; module += 1) {
  fs.mkdirSync(path.join(folder, 'source', `module-${module}`), { recursive: true });
  for (let file = 0; file < 12; file += 1) {
    fs.writeFileSync(path.join(folder, 'source', `module-${module}`, `${file}.js`), 'export default 1;\n'.repeat(40));
  }
}

// <culprit>
function prepareStep(until) {
  for (let step = 0; performance.now() < until; step += 1) {
    const target = path.join(folder, `step-${step}`);
    fs.cpSync(path.join(folder, 'source'), target, { recursive: true });
    fs.rmSync(target, { recursive: true });
  }
}
// </culprit>

await trace.getTracer('builds').startActiveSpan('build', async (span) => {
  await sleep(300);
  truth.begin();
  prepareStep(performance.now() + 450);
  truth.end();
  span.end();
});
