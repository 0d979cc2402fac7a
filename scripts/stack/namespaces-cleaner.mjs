// Removes what a node of Kubernetes leaves on the machine when its namespaces have ended: its control groups, its folder,
// and the settings of the kernel that the kubelet changes. It begins when its standard input closes, which happens in any
// case when the process that has started it ends.
import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const [directory = ''] = process.argv.slice(2);
const groups = '/sys/fs/cgroup';
const attempts = 50;
const intervalMs = 200;
/** Those of another kubelet of this machine, which stay. */
const foreignGroups = new Set(groupsOfPods());
const settings = ['vm/overcommit_memory', 'vm/panic_on_oom', 'kernel/panic', 'kernel/panic_on_oops'];
const before = settings.map((name) => [`/proc/sys/${name}`, read(`/proc/sys/${name}`)]);

process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
process.stdin.resume();
process.stdin.on('end', async () => {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const left = groupsOfPods().filter((group) => !foreignGroups.has(group));
    if (left.length === 0) break;
    for (const group of left) removeGroup(group);
    await sleep(intervalMs);
  }
  for (const [file = '', value] of before) {
    if (value !== undefined && read(file) !== value) writeFileSync(file, value);
  }
  rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: intervalMs });
});

/** One in version 2 of control groups, one for each controller in version 1. */
function groupsOfPods() {
  return ['.', ...readdirSync(groups)]
    .map((name) => path.join(groups, name, 'kubepods'))
    .filter((group) => existsSync(group));
}

/**
 * Removes a control group and those below it; leaves those in which processes still are.
 * @param {string} group
 */
function removeGroup(group) {
  try {
    for (const entry of readdirSync(group, { withFileTypes: true })) {
      if (entry.isDirectory()) removeGroup(path.join(group, entry.name));
    }
    rmdirSync(group);
  } catch {
    // Tried again.
  }
}

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
