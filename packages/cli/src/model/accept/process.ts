import type { UnwatchedProcess } from '../processes/unwatched.js';
import type { WatchProblem } from '../processes/watch-problem.js';
import { accepted, count, duration, flag, id, instanceId, name, oneOf, path, type Rules, share } from '../rules.js';
import type { Instance, StartUp, ThreadInfo, VersionControl } from '../types.js';

const VERSION_CONTROL: Rules<VersionControl> = {
  repositoryUrl: path,
  rootDirectory: path,
  revision: name,
  refName: name,
  isModified: flag,
};

const INSTANCE: Rules<Instance> = {
  id: instanceId,
  service: name,
  label: name,
  version: name,
  vcs: (value) => accepted(value, VERSION_CONTROL, []),
  directory: path,
  pid: id,
  command: path,
  sourceMaps: (value) => (value === true ? true : undefined),
};

/** The instance as it is kept; undefined if it has no id or no name. */
export function acceptInstance(value: unknown): Instance | undefined {
  return accepted<Instance>(value, INSTANCE, ['id', 'service', 'label']);
}

const THREAD: Rules<ThreadInfo> = {
  instance: instanceId,
  threadName: name,
  count,
  utilization: share,
  idleAgeMs: duration,
  stalledMs: duration,
};

export function acceptThread(value: unknown): ThreadInfo | undefined {
  return accepted<ThreadInfo>(value, THREAD, ['instance', 'threadName']);
}

const START_UP: Rules<Omit<StartUp, 'isUnfinished'>> = {
  instance: instanceId,
  threadId: id,
  threadName: name,
  durationMs: duration,
};

export function acceptStartUp(value: unknown): StartUp | undefined {
  return accepted<Omit<StartUp, 'isUnfinished'>>(value, START_UP, ['instance', 'threadId', 'threadName', 'durationMs']);
}

const UNWATCHED: Rules<UnwatchedProcess> = {
  pid: id,
  command: (value) => path(value) ?? '',
  reason: oneOf(['node_options_replaced', 'node_options_removed', 'directory_removed', 'shown_by_node']),
  option: name,
};

export function acceptUnwatched(value: unknown): UnwatchedProcess | undefined {
  return accepted<UnwatchedProcess>(value, UNWATCHED, ['pid', 'command', 'reason']);
}

const PROBLEM: Rules<WatchProblem> = { instance: instanceId, text: name };

export function acceptProblem(value: unknown): WatchProblem | undefined {
  return accepted<WatchProblem>(value, PROBLEM, ['instance', 'text']);
}
