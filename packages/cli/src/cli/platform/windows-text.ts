import { localHost } from './local-host.js';
import type { ListeningSocket, ProcessInfo } from './platform.js';

/*
 * Parsers of what the programs of Windows print: `Win32_Process` of CIM as JSON, and `netstat`. They take text only.
 */

/** `/Date(1764182400000)/` of PowerShell 5, or a date of ISO 8601 of PowerShell 7. */
function parseDate(value: unknown): number {
  if (typeof value !== 'string') return NaN;
  const [, ms] = /^\/Date\((\d{1,15})\)\/$/.exec(value) ?? [];
  return ms === undefined ? Date.parse(value) : Number(ms);
}

/** Of `Get-CimInstance Win32_Process | Select-Object … | ConvertTo-Json`: an object where there is one process. */
export function parseCim(text: string, nowMs: number): ProcessInfo[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [];
  }
  return (Array.isArray(value) ? (value as unknown[]) : [value]).flatMap((entry) => processOf(entry, nowMs) ?? []);
}

function processOf(entry: unknown, nowMs: number): ProcessInfo | undefined {
  if (typeof entry !== 'object' || entry === null) return undefined;
  const fields = entry as Readonly<Record<string, unknown>>;
  const { ProcessId: pid, Name: name, ParentProcessId: parentPid } = fields;
  const startedMs = parseDate(fields.CreationDate);
  if (typeof pid !== 'number' || typeof name !== 'string' || Number.isNaN(startedMs)) return undefined;
  const commandLine = typeof fields.CommandLine === 'string' ? fields.CommandLine : '';
  return {
    pid,
    parentPid: typeof parentPid === 'number' ? parentPid : 0,
    processId: pid,
    innerPid: pid,
    name,
    userId: undefined,
    executable: typeof fields.ExecutablePath === 'string' ? fields.ExecutablePath : '',
    args: wordsOf(commandLine),
    state: '',
    // In units of 100 ns.
    cpuMs: Math.round((ticksOf(fields.KernelModeTime) + ticksOf(fields.UserModeTime)) / 10_000),
    startedMs,
    ageMs: Math.max(0, nowMs - startedMs),
    hasExecuted: true,
    catchesSigusr1: undefined,
  };
}

function ticksOf(value: unknown): number {
  return typeof value === 'number' && value >= 0 ? value : 0;
}

/** Words of a command line; one in double quotes may contain spaces. */
function wordsOf(commandLine: string): string[] {
  return [...commandLine.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '');
}

/** The TCP sockets that listen, of `netstat -ano`. Its word for that state is translated: the remote end says it, too. */
export function parseNetstat(text: string): (ListeningSocket & { readonly pid: number })[] {
  return text.split('\n', 100_000).flatMap((line) => {
    const [, address = '', port, pid] =
      /^\s*TCP\s+(\S+):(\d{1,5})\s+(?:0\.0\.0\.0|\[::\]):0\s+\S+\s+(\d+)\s*$/.exec(line) ?? [];
    if (port === undefined) return [];
    const host = localHost(address, address.startsWith('['));
    return { pid: Number(pid), port: Number(port), host, inode: `${pid} ${address}:${port}` };
  });
}
