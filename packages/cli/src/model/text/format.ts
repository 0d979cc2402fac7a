import type { Instance } from '../types.js';

/** `850 µs`, `12.3 ms`, `1.24 s`, `2 min 5 s`. */
export function formatMs(ms: number): string {
  if (ms < 0.9995) return `${Math.round(ms * 1000)} µs`;
  if (ms < 99.95) return `${ms.toFixed(1)} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 99.995) return `${seconds.toFixed(2)} s`;
  const minutes = Math.floor(Math.round(seconds) / 60);
  const rest = Math.round(seconds) % 60;
  return rest === 0 ? `${minutes} min` : `${minutes} min ${rest} s`;
}

/** `12:34:56.789` in local time. */
export function formatClock(epochMs: number): string {
  const date = new Date(epochMs);
  const two = (value: number): string => String(value).padStart(2, '0');
  const clock = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':');
  return `${clock}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}

/** `2026-11-23 12:34:56` in local time. */
export function formatDateTime(epochMs: number): string {
  const date = new Date(epochMs);
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day} ${formatClock(epochMs).slice(0, 8)}`;
}

/** `4.2 %`, `<0.1 %`. */
export function formatShare(share: number): string {
  const percent = share * 100;
  if (percent > 0 && percent < 0.1) return '<0.1 %';
  return `${percent < 10 ? percent.toFixed(1) : String(Math.round(percent))} %`;
}

/**
 * A short path: in `node_modules` from the package on, below the directory relative to it, else the last three segments.
 */
export function shortPath(filePath: string, directory?: string): string {
  // The whole text of a module.
  if (filePath.startsWith('data:')) return `${/^data:[^,]{0,40}/.exec(filePath)![0]},…`;
  const path = filePath.replace(/^file:\/\//, '');
  const modules = path.lastIndexOf('/node_modules/');
  if (modules !== -1) return path.slice(modules + '/node_modules/'.length);
  if (directory !== undefined && path.startsWith(`${directory}/`)) return path.slice(directory.length + 1);
  if (path.startsWith('node:')) return path;
  const segments = path.split(/[/\\]/);
  return segments.length > 4 ? `…/${segments.slice(-3).join('/')}` : path;
}

/** `api pid 42` */
export function formatInstance({ service, label }: Instance): string {
  return `${service} ${label}`;
}

/** `1 block`, `3 blocks`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
