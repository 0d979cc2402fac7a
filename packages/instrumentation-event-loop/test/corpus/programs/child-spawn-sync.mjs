/**
 * A converter process is run to its end, with its output collected.
 * @culprit convert
 * @cause waiting
 * @parent none
 */
import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import truth from '../kit/truth.cjs';

// <culprit>
function convert(seconds) {
  truth.begin();
  const { stdout, status } = spawnSync('sh', ['-c', `echo "%PDF-1.7"; sleep ${seconds}`]);
  truth.end();
  return status === 0 ? stdout.toString() : undefined;
}
// </culprit>

await sleep(300);
convert(0.5);
