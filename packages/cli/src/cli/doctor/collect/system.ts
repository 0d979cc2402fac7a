import { existsSync, readFileSync } from 'node:fs';

import type { SystemFacts } from '../facts.js';

/** What the kernel shows, and the CPU quota of the process; `self` for this one. */
export function systemFacts(pid: number | 'self'): SystemFacts {
  return {
    hasProc: existsSync('/proc/self/status'),
    // Read of this process: a process may read its own files also where it may not read those of others.
    hasSchedstat: /^\d+ \d+/.test(read('/proc/self/schedstat') ?? ''),
    hasSyscall: read('/proc/self/syscall') !== undefined,
    cpuQuota: cpuQuota(pid),
  };
}

/** CPUs that the cgroups of the process and those above allow; undefined without a quota. */
function cpuQuota(pid: number | 'self'): number | undefined {
  const groups = (read(`/proc/${pid}/cgroup`) ?? '').split('\n').map((line) => line.split(':'));
  const unified = groups.find(([id]) => id === '0')?.[2];
  const cpu = groups.find(([, controllers]) => controllers?.split(',').includes('cpu'))?.[2];
  const quotas = [
    ...pathsUpTo(unified).map((group) => parseCpuMax(read(`/sys/fs/cgroup${group}/cpu.max`))),
    ...pathsUpTo(cpu).map((group) =>
      parseCpuMax(
        `${read(`/sys/fs/cgroup/cpu${group}/cpu.cfs_quota_us`)?.trim()} ${read(`/sys/fs/cgroup/cpu${group}/cpu.cfs_period_us`)}`,
      ),
    ),
  ].filter((quota) => quota !== undefined);
  return quotas.length === 0 ? undefined : Math.min(...quotas);
}

/** Quota and period in µs, as `50000 100000`; `max` and -1 stand for no quota. */
export function parseCpuMax(text = ''): number | undefined {
  const [, quota, period] = /^(\d+)\s+(\d+)/.exec(text) ?? [];
  return quota === undefined ? undefined : Number(quota) / Number(period);
}

/** `/a/b`, `/a` and the root, which is empty. */
function pathsUpTo(group: string | undefined): string[] {
  if (group === undefined) return [];
  const parts = group.split('/').filter((part) => part !== '' && part !== '..');
  return [...parts.map((_, index) => `/${parts.slice(0, parts.length - index).join('/')}`), ''];
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
