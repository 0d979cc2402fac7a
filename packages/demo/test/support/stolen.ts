import { readFileSync } from 'node:fs';

/** Columns of `cpu` in /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal. Their unit is 10 ms. */
const STEAL = 8;

/**
 * For how long, in ms, the host of this virtual machine has run others although a thread here was on a CPU: the kernel
 * counts that neither as CPU time nor as a wait for a CPU. 0 where nothing says so.
 */
export function stolenMs(): number {
  try {
    const [all = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1);
    return 10 * Number(all.split(/\s+/)[STEAL] ?? 0);
  } catch {
    return 0;
  }
}
