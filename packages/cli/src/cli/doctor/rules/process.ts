import type { InspectorFacts, ProcessFacts, SystemFacts } from '../facts.js';
import { rule } from '../rule.js';

/** The flags of Node.js, the process and its system. */
export const processRules = [
  rule<readonly string[]>({
    name: 'watchdog-not-permitted',
    check: ({ flags }) => {
      if (!flags.some((flag) => /^--(experimental-)?permission$/.test(flag))) return [];
      const missing = ['--allow-worker', '--allow-inspector'].filter((flag) => !flags.includes(flag));
      return missing.length === 0 ? [] : [missing];
    },
    summary: (missing) =>
      `Node.js runs with --permission and without ${missing.join(' and ')}: the watchdog thread cannot start, so blocks ` +
      'have no stack and no culprit.',
    remedy: (missing) => `Add ${missing.join(' ')}. Node.js has --allow-inspector from 24 on.`,
  }),
  rule<null>({
    name: 'signal-disabled',
    check: ({ flags, target }) =>
      flags.includes('--disable-sigusr1') && target.process?.refusal === undefined ? [null] : [],
    summary: () => '--disable-sigusr1 is set: loopwatch dump and attach cannot open the inspector of the process.',
    remedy: () => 'Remove the flag, or start the process with --inspect=127.0.0.1:0.',
  }),
  rule<string>({
    name: 'inspector-open-to-network',
    check: ({ flags }) => flags.filter((flag) => /^--inspect(-brk|-wait|-port)?=(0\.0\.0\.0|\[?::\]?)(:|$)/.test(flag)),
    summary: (flag) =>
      `${flag} opens the inspector to the network: everyone who reaches it can run code in the process.`,
    remedy: () => 'Bind it to 127.0.0.1.',
  }),
  rule<InspectorFacts>({
    name: 'inspector-port-taken',
    check: ({ inspector, target }) =>
      inspector?.takenBy !== undefined && target.process === undefined ? [inspector] : [],
    summary: ({ port, takenBy }) =>
      `Port ${port} of the inspector is taken by ${takenBy ?? ''}: a process started here cannot open its inspector on it.`,
    remedy: () => 'End that process, close its inspector, or give this one another port: --inspect-port=0',
  }),
  rule<NonNullable<ProcessFacts['refusal']>>({
    name: 'process-cannot-be-asked',
    check: ({ target }) => (target.process?.refusal ? [target.process.refusal] : []),
    summary: ({ problem }) => `loopwatch dump and attach cannot ask the process. ${problem}.`,
    remedy: ({ advice }) => advice,
  }),
  rule<ProcessFacts>({
    name: 'process-not-instrumented',
    check: ({ target }) => (target.process && !target.process.isWatched ? [target.process] : []),
    summary: () =>
      'Nothing shows that Loopwatch is in the process: neither its command line nor its environment nor a thread.',
    remedy: ({ pid, refusal }) =>
      'Start it with --import @loopwatch/instrumentation-event-loop/register.' +
      (refusal ? '' : ` To see its blocks now: loopwatch attach ${pid}`),
  }),
  rule<ProcessFacts>({
    name: 'source-maps-off',
    check: ({ target, flags, env }) =>
      target.process?.hasSourceMap &&
      env?.LOOPWATCH_SOURCE_MAPS?.trim().toLowerCase() === 'false' &&
      !flags.includes('--enable-source-maps')
        ? [target.process]
        : [],
    summary: () =>
      'The script has a source map, but LOOPWATCH_SOURCE_MAPS is false: culprits have lines of the built file.',
    remedy: () =>
      'Remove LOOPWATCH_SOURCE_MAPS: the watchdog thread reads source maps, not the thread of the application.',
  }),
  rule<null>({
    name: 'environment-not-readable',
    check: ({ env, target }) => (target.process && env === undefined ? [null] : []),
    summary: () => 'The environment of the process cannot be read: its variables and packages are not checked.',
    remedy: () => 'Run loopwatch doctor as the user of the process, or as root.',
  }),
  rule<SystemFacts>({
    name: 'thread-times-not-readable',
    check: ({ platform, system }) => (platform === 'linux' && system && !system.hasSchedstat ? [system] : []),
    summary: ({ hasProc }) =>
      `${hasProc ? '/proc/self/schedstat cannot be read' : 'There is no /proc'}: the time that a thread waits for a CPU is ` +
      'not known, and no block has the cause cpu_starved.',
    remedy: ({ hasProc }) =>
      hasProc
        ? 'Use a kernel with CONFIG_SCHED_INFO, and allow the process to read /proc.'
        : 'Mount /proc into the container.',
  }),
  rule<SystemFacts>({
    name: 'idle-threads-not-visible',
    check: ({ platform, system }) => (platform === 'linux' && system?.hasProc && !system.hasSyscall ? [system] : []),
    summary: () =>
      '/proc/self/syscall cannot be read: its heartbeat alone distinguishes an idle thread from a blocked one, which costs ' +
      'more when the process is idle.',
    remedy: () =>
      'Allow it in the seccomp or AppArmor profile of the container, and use a kernel with CONFIG_HAVE_ARCH_TRACEHOOK.',
  }),
  rule<number>({
    name: 'cpu-quota-below-one',
    check: ({ system }) => (system?.cpuQuota !== undefined && system.cpuQuota < 1 ? [system.cpuQuota] : []),
    summary: (cpus) =>
      `The cgroup allows ${cpus} CPU: the kernel stops all threads of the process when they have used it up, which ` +
      'stretches every block.',
    remedy: () => 'Raise the CPU limit to at least 1, or remove it and keep the request.',
  }),
];
