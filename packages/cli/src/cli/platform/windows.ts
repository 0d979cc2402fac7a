import process from 'node:process';

import type { Platform, ProcessInfo } from './platform.js';
import { isNodeBinary } from './node-binary.js';
import { output } from './tool.js';
import { parseCim, parseNetstat } from './windows-text.js';

const FIELDS = 'ProcessId,ParentProcessId,Name,ExecutablePath,CommandLine,CreationDate,KernelModeTime,UserModeTime';

/**
 * Windows: the processes by CIM, the ports by `netstat`. It shows no environment, no working directory and no thread of
 * another process. Node.js opens its inspector by `process._debugProcess` instead of a signal.
 */
export const windows: Platform = {
  process: (pid) => list(`-Filter 'ProcessId=${pid}'`)[0],
  processes: () => list(''),
  // The executable of another user's process is not shown.
  nodeAmong: (candidates) => candidates.filter(({ executable }) => executable !== '' && isNodeBinary(executable)),
  environment: () => [],
  workingDirectory: () => undefined,
  threadIds: () => [],
  threadName: () => undefined,
  readsOwnThreads: () => false,
  threadCpuMs: () => undefined,
  isThreadReady: () => undefined,
  listeningIn: () => listening(),
  listeningOf: (pid) => listening().filter((socket) => socket.pid === pid),
  connectionsOf: () => [],
  holderOf: (inode) => listening().find((socket) => socket.inode === inode)?.pid,
  namespace: () => undefined,
  controlGroups: () => '',
  hasOtherFiles: () => false,
  askForInspector: (pid) => {
    (process as unknown as { _debugProcess(pid: number): void })._debugProcess(pid);
  },
};

function list(filter: string): readonly ProcessInfo[] {
  const query = `[Console]::OutputEncoding=[Text.Encoding]::UTF8; Get-CimInstance Win32_Process ${filter} | Select-Object ${FIELDS} | ConvertTo-Json -Compress`;
  const file = system('WindowsPowerShell\\v1.0\\powershell.exe');
  return parseCim(output(file, ['-NoProfile', '-NonInteractive', '-Command', query]) ?? '', Date.now());
}

function listening(): ReturnType<typeof parseNetstat> {
  return parseNetstat(output(system('netstat.exe'), ['-a', '-n', '-o', '-p', 'TCP']) ?? '');
}

/** By its path: Windows looks for programs in the working directory, too. */
function system(file: string): string {
  return `${process.env.SystemRoot ?? 'C:\\Windows'}\\System32\\${file}`;
}
