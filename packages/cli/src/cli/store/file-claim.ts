import { lstatSync, lutimesSync, readFileSync, readlinkSync, symlinkSync, unlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

/** The right of this process to write a file of `--keep`. */
export interface FileClaim {
  /** Shows others that this process still runs. False: the claim is gone, or another process has taken it. */
  renew(): boolean;
  release(): void;
}

/** Another `loopwatch serve` saves to the file, and has not ended within the patience. */
export class FileTakenError extends Error {}

export interface ClaimOptions {
  /** How long to wait for a process that has the claim, in ms. */
  readonly patienceMs: number;
  /** Called once, when waiting begins. */
  readonly onWait?: (reason: string) => void;
}

const LOOK_INTERVAL_MS = 200;
/** A process renews its claim each second: one that is unknown here and does not within this time has ended. */
const RENEWAL_WATCH_MS = 5_000;
/** Longer than a process needs from its look at an abandoned claim to the replacement of it. */
const SETTLING_MS = 50;

/**
 * Claims the file for this process, with a symbolic link `FILE-owner` that points nowhere: its text names the process. A
 * link is made with its text in one step, or not at all, so a kill at any moment leaves nothing half made; Emacs and
 * Firefox lock files so. A claim whose process has ended is replaced. What Loopwatch has not made is never removed.
 */
export async function claimFile(file: string, { patienceMs, onWait }: ClaimOptions): Promise<FileClaim> {
  const link = `${file}-owner`;
  const own = claimText(ownProcess(), globalThis.crypto.randomUUID());
  const deadlineMs = performance.now() + patienceMs;
  let isWaiting = false;
  for (;;) {
    const found = readClaim(link);
    if (found === undefined || !(await isHeld(link, found))) {
      // Between the look and the replacement lies no other task.
      if (readClaim(link)?.text === found?.text && replaceClaim(link, found?.text, own)) {
        // A process that has looked before the replacement may replace ours. Then it has the claim.
        await sleep(SETTLING_MS);
        if (readClaim(link)?.text === own) return claimOf(link, own);
      }
    } else {
      const reason = `loopwatch serve with process id ${found.pid} saves there`;
      if (performance.now() >= deadlineMs) throw new FileTakenError(reason);
      if (!isWaiting) onWait?.(reason);
      isWaiting = true;
    }
    await sleep(LOOK_INTERVAL_MS);
  }
}

function claimOf(link: string, own: string): FileClaim {
  const isOurs = (): boolean => {
    try {
      return readlinkSync(link) === own;
    } catch {
      return false;
    }
  };
  return {
    renew() {
      if (!isOurs()) return false;
      const now = new Date();
      try {
        lutimesSync(link, now, now);
      } catch {
        // In a directory that has become read-only, no process can take the claim.
      }
      return true;
    },
    release() {
      try {
        if (isOurs()) unlinkSync(link);
      } catch {
        // The next start sees that this process has ended.
      }
    },
  };
}

function replaceClaim(link: string, found: string | undefined, own: string): boolean {
  try {
    if (found !== undefined) unlinkSync(link);
    symlinkSync(own, link);
    return true;
  } catch (error) {
    // Another process was faster.
    if (codeOf(error) === 'EEXIST' || (codeOf(error) === 'ENOENT' && found !== undefined)) return false;
    throw error;
  }
}

/** A process, so that another one of the same id is not taken for it. */
interface ProcessIdentity {
  readonly pid: number;
  /** When it started, by the kernel's clock; empty where that cannot be read. */
  readonly start: string;
  /** Where the id is valid: this boot and process namespace, or else the host. */
  readonly place: string;
}

interface FoundClaim extends ProcessIdentity {
  readonly text: string;
}

function claimText({ pid, start, place }: ProcessIdentity, id: string): string {
  return `loopwatch-serve pid=${pid} start=${start} place=${place} id=${id}`;
}

const CLAIM = /^loopwatch-serve pid=(\d+) start=(\d*) place=(\S*) id=[\da-f-]+$/;

/** Undefined if there is none. Throws if something else has its name. */
function readClaim(link: string): FoundClaim | undefined {
  let text: string;
  try {
    text = readlinkSync(link);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    if (codeOf(error) === 'EINVAL') throw notOurs(link);
    throw error;
  }
  const [, pid, start = '', place = ''] = CLAIM.exec(text) ?? [];
  if (pid === undefined) throw notOurs(link);
  return { text, pid: Number(pid), start, place };
}

function notOurs(link: string): Error {
  return new Error(`${link} exists, and Loopwatch has not made it. Move it away, or give --keep another file`);
}

async function isHeld(link: string, found: FoundClaim): Promise<boolean> {
  const runs = isRunning(found);
  if (runs !== undefined) return runs;
  // A process of another container, or of a host that shares the directory.
  const before = renewedMs(link);
  const deadlineMs = performance.now() + RENEWAL_WATCH_MS;
  while (performance.now() < deadlineMs) {
    await sleep(LOOK_INTERVAL_MS);
    if (renewedMs(link) !== before) return true;
  }
  return false;
}

/** Undefined if it cannot be known here. */
function isRunning({ pid, start, place }: ProcessIdentity): boolean | undefined {
  if (place !== placeOfIds()) return undefined;
  if (!hasProcess(pid)) return false;
  const now = statOf(pid);
  if (start === '' || now === undefined) return undefined;
  return start === now.start && !ENDED_STATES.includes(now.state);
}

function hasProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** A killed process stays a zombie until its parent asks how it ended, which the first process of a container may never do. */
const ENDED_STATES = ['Z', 'X'];

function ownProcess(): ProcessIdentity {
  return { pid: process.pid, start: statOf(process.pid)?.start ?? '', place: placeOfIds() };
}

function placeOfIds(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot}/${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return encodeURIComponent(hostname());
  }
}

/** State and start, fields 3 and 22 of `/proc/PID/stat`. The name of the program before them may contain anything. */
function statOf(pid: number): { readonly state: string; readonly start: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', start: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}

function renewedMs(link: string): number | undefined {
  return lstatSync(link, { throwIfNoEntry: false })?.mtimeMs;
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}
