import { MIN_BLOCKED_THRESHOLD_MS } from '@loopwatch/instrumentation-event-loop/internal';
import { InvalidArgumentError } from 'commander';

const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A file or an address. An option without its value would take the option behind it. */
export function parseText(text: string): string {
  if (/^-./.test(text)) {
    throw new InvalidArgumentError(`Expected a value, found the option ${text}. A file of that name is ./${text}`);
  }
  if (text === '') throw new InvalidArgumentError('Expected a value, found an empty one.');
  return text;
}

/** One file of several. */
export function parseTexts(text: string, previous: readonly string[] = []): string[] {
  return [...previous, parseText(text)];
}

/** A port number; 0 selects a free port. */
export function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new InvalidArgumentError('Expected a port from 0 to 65535.');
  return port;
}

/** `30s`, `10m`, `2h`, `1d`, in ms. */
export function parseDuration(text: string): number {
  const ms = durationOf(text);
  if (!(ms > 0) || !Number.isFinite(ms)) {
    throw new InvalidArgumentError('Expected a duration above 0, such as 30s, 10m, 2h or 1d.');
  }
  return ms;
}

/** A timer of Node.js takes 2³¹ - 1 ms, which is not quite 25 days, and fires at once where it gets more. */
const MAX_TIMER_DAYS = 24;

/** The same for what a timer waits for. */
export function parseTimerDuration(text: string): number {
  const ms = parseDuration(text);
  if (ms > MAX_TIMER_DAYS * UNITS_MS.d!) {
    throw new InvalidArgumentError(`Expected a duration of at most ${MAX_TIMER_DAYS}d, got ${text.slice(0, 20)}.`);
  }
  return ms;
}

function durationOf(text: string): number {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)([smhd])$/.exec(text) ?? [];
  return Number(amount) * (UNITS_MS[unit] ?? NaN);
}

/** Shorter blocks are not rare: they end by themselves. */
const MIN_KILL_AFTER_MS = 1000;

/** A number of seconds, or a duration as above, in ms. */
export function parseKillAfter(text: string): number {
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : durationOf(text);
  if (!(ms >= MIN_KILL_AFTER_MS) || !Number.isFinite(ms)) {
    throw new InvalidArgumentError('Expected a number of seconds, at least 1, such as 30, or a duration such as 2m.');
  }
  return ms;
}

/** A positive number of ms. */
export function parseMs(text: string): number {
  return msOf(text, 'Expected a number of milliseconds above 0.');
}

function msOf(text: string, expected: string): number {
  const ms = Number(text);
  if (text.trim() === '' || !Number.isFinite(ms) || ms <= 0) throw new InvalidArgumentError(expected);
  return ms;
}

/** Threshold of the instrumentation, or a limit that it has to see, in ms. */
export function parseThreshold(text: string): number {
  const ms = msOf(text, `Expected a number of milliseconds, at least ${MIN_BLOCKED_THRESHOLD_MS}.`);
  if (ms < MIN_BLOCKED_THRESHOLD_MS) {
    throw new InvalidArgumentError(
      `Expected at least ${MIN_BLOCKED_THRESHOLD_MS} ms: a lower threshold costs too much CPU.`,
    );
  }
  return ms;
}

/** An http(s) URL without the trailing slash. */
export function parseUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new InvalidArgumentError('Expected a URL such as http://localhost:16686.');
  }
  return text.replace(/\/+$/, '');
}

/** Address of an inspector: as Node.js prints it, or as `/json/version` is asked. */
export function parseInspectorUrl(text: string): string {
  if (!URL.canParse(text) || !/^(ws|http):$/.test(new URL(text).protocol)) {
    throw new InvalidArgumentError('Expected the address that Node.js prints, such as ws://127.0.0.1:9229.');
  }
  return text;
}

/** Id of a process. */
export function parsePid(text: string): number {
  const pid = Number(text);
  if (!/^\d+$/.test(text) || pid < 1 || pid > 2 ** 31 - 1)
    throw new InvalidArgumentError('Expected the id of a process.');
  return pid;
}
