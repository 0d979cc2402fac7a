import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const PERIOD_US = 100_000;

export interface ThrottledGroup extends AsyncDisposable {
  /** The kernel's file of how long and how often the group was stopped. */
  readonly statisticsFile: string;
  /** Limits the process to that share of one CPU, by moving it into the group. */
  throttle(pid: number, share: number): void;
}

export interface CpuQuota {
  readonly label: string;
  make(): ThrottledGroup;
}

interface Hierarchy extends Pick<CpuQuota, 'label'> {
  readonly directory: string;
  readonly setQuota: (group: string, quotaUs: number) => void;
}

const hierarchies: readonly Hierarchy[] = [
  {
    label: 'a quota of cgroup v1',
    directory: '/sys/fs/cgroup/cpu',
    setQuota: (group, quotaUs) => {
      writeFileSync(path.join(group, 'cpu.cfs_period_us'), String(PERIOD_US));
      writeFileSync(path.join(group, 'cpu.cfs_quota_us'), String(quotaUs));
    },
  },
  {
    label: 'a quota of cgroup v2',
    directory: '/sys/fs/cgroup',
    setQuota: (group, quotaUs) => {
      writeFileSync(path.join(group, 'cpu.max'), `${quotaUs} ${PERIOD_US}`);
    },
  },
];

/** The quotas that this machine permits: at most one, and none in an ordinary container. */
export function cpuQuotas(): CpuQuota[] {
  return hierarchies
    .filter(canMakeGroups)
    .slice(0, 1)
    .map((hierarchy) => ({
      label: hierarchy.label,
      make: () => makeGroup(hierarchy),
    }));
}

let groups = 0;

function makeGroup({ directory, setQuota }: Hierarchy): ThrottledGroup {
  groups += 1;
  const group = path.join(directory, `loopwatch-test-${process.pid}-${groups}`);
  mkdirSync(group);
  return {
    statisticsFile: path.join(group, 'cpu.stat'),
    throttle: (pid, share) => {
      setQuota(group, PERIOD_US * share);
      writeFileSync(path.join(group, 'cgroup.procs'), String(pid));
    },
    [Symbol.asyncDispose]: async () => {
      // The group may stay in use for a moment after its process has ended.
      for (let triesLeft = 50; ; triesLeft -= 1) {
        try {
          rmdirSync(group);
          return;
        } catch (error) {
          if (triesLeft === 0) throw error;
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      }
    },
  };
}

function canMakeGroups({ directory }: Hierarchy): boolean {
  const isV1 = existsSync(path.join(directory, 'cpu.cfs_quota_us'));
  const controllers = path.join(directory, 'cgroup.subtree_control');
  const isV2 = existsSync(controllers) && readFileSync(controllers, 'utf8').split(/\s/).includes('cpu');
  if (!isV1 && !isV2) return false;
  try {
    accessSync(directory, constants.W_OK);
    const probe = path.join(directory, `loopwatch-probe-${process.pid}`);
    mkdirSync(probe);
    rmdirSync(probe);
    return true;
  } catch {
    return false; // mounted read-only
  }
}
