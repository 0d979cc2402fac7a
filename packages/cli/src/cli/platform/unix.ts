import process from 'node:process';

import { isNodeBinary } from './node-binary.js';
import { connectedAmong, listeningAmong, type OpenFile, parseOpenFiles } from './lsof-text.js';
import type { Platform, ProcessInfo } from './platform.js';
import { parseEnvironment, parseNames, parseProcesses, PS_COLUMNS, PS_NAMES } from './ps-text.js';
import { output } from './tool.js';

/**
 * Systems without `/proc`, such as macOS: by the programs `ps` and `lsof`. They tell nothing of threads, of handlers of
 * signals, and of system calls; what needs these is undefined.
 */
export const unix: Platform = {
  process: (pid) => list(['-p', String(pid)])[0],
  processes: () => list(['-A']),
  nodeAmong,
  environment,
  workingDirectory: (pid) => open(['-a', '-p', String(pid), '-d', 'cwd'], 'pfn')[0]?.name,
  threadIds: () => [],
  threadName: () => undefined,
  readsOwnThreads: () => false,
  threadCpuMs: () => undefined,
  isThreadReady: () => undefined,
  listeningIn: () => listening([]),
  listeningOf: (pid) => listening(['-a', '-p', String(pid)]),
  connectionsOf: (pid) => connectedAmong(open(['-a', '-p', String(pid), '-iTCP', '-sTCP:ESTABLISHED'], 'pftdn')),
  holderOf: (inode) => listening([]).find((socket) => socket.inode === inode)?.pid,
  namespace: () => undefined,
  controlGroups: () => '',
  hasOtherFiles: () => false,
  askForInspector: (pid) => {
    process.kill(pid, 'SIGUSR1');
  },
};

function list(selection: readonly string[]): readonly ProcessInfo[] {
  const text = output('ps', [...selection, '-ww', ...PS_COLUMNS]) ?? '';
  const names = parseNames(output('ps', [...selection, '-ww', ...PS_NAMES]) ?? '');
  return parseProcesses(text, names, Date.now());
}

/** The binary is the first text file of a process: the others are its libraries. */
function nodeAmong(candidates: readonly ProcessInfo[]): readonly ProcessInfo[] {
  if (candidates.length === 0) return [];
  const binaries = new Map<number, string>();
  const pids = candidates.map(({ pid }) => pid).join(',');
  for (const { pid, name } of open(['-a', '-p', pids, '-d', 'txt'], 'pfn')) {
    if (!binaries.has(pid)) binaries.set(pid, name);
  }
  const known = new Map<string, boolean>();
  return candidates.flatMap((info) => {
    const executable = binaries.get(info.pid);
    if (executable === undefined) return [];
    const isNode = known.get(executable) ?? isNodeBinary(executable);
    known.set(executable, isNode);
    return isNode ? { ...info, executable: info.executable || executable } : [];
  });
}

/** `ps` of macOS has `-E` for it, that of Linux the letter `e`. */
function environment(pid: number): readonly string[] {
  const args = list(['-p', String(pid)])[0]?.args;
  if (args === undefined) return [];
  const flags = process.platform === 'darwin' ? ['-E', '-ww', '-o', 'command=', '-p'] : ['ewwo', 'command=', 'p'];
  return parseEnvironment(output('ps', [...flags, String(pid)]) ?? '', args);
}

function listening(selection: readonly string[]): ReturnType<typeof listeningAmong> {
  return listeningAmong(open([...selection, '-iTCP', '-sTCP:LISTEN'], 'pftdn'));
}

/** `-n` and `-P`: addresses and ports as numbers. `-w`: no warnings. */
function open(selection: readonly string[], fields: string): OpenFile[] {
  return parseOpenFiles(output('lsof', ['-n', '-P', '-w', ...selection, '-F', fields]) ?? '');
}
