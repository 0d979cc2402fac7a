import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Target } from './checks.js';
import type { ListeningSocket } from './proc-text.js';
import { listeningOf, readProcess } from './processes.js';
import { Refusal } from './refusal.js';

export interface OpenInspector {
  readonly address: ListeningSocket;
  readonly url: string;
  readonly nodeVersion: string;
}

const POLL_MS = 10;
const REQUEST_TIMEOUT_MS = 5000;

/**
 * Opens the inspector of the process by SIGUSR1, unless it is open. Undefined when it did not open in time: the main
 * thread is inside a call that V8 cannot interrupt, or the program has taken the signal for itself.
 */
export async function openInspector(
  { info: { pid }, mayListenOn, port }: Target,
  timeoutMs: number,
): Promise<OpenInspector | undefined> {
  const before = new Set(listeningOf(pid).map(({ inode }) => inode));
  const wasOpen = mayListenOn.length > 0;
  if (!wasOpen) process.kill(pid, 'SIGUSR1');
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const candidates = wasOpen ? mayListenOn : listeningOf(pid).filter(({ inode }) => !before.has(inode));
    for (const address of candidates) {
      const inspector = await describe(address);
      if (inspector) return inspector;
    }
    if (!readProcess(pid)) throw new Error(`Process ${pid} ended before it could answer.`);
    if (wasOpen) {
      throw new Refusal(
        `an inspector on port ${port} of process ${pid}`,
        'something else that listens there',
        'Give the process another port for its inspector: --inspect-port.',
      );
    }
    if (performance.now() > deadline) return undefined;
    await sleep(POLL_MS);
  }
}

/** What listens at that address, if it is an inspector of Node.js. */
async function describe(address: ListeningSocket): Promise<OpenInspector | undefined> {
  const inspector = await describeInspector(`${address.host}:${address.port}`);
  return inspector && { ...inspector, address };
}

/** As `describe`, for an address as in a URL. */
export async function describeInspector(host: string): Promise<Omit<OpenInspector, 'address'> | undefined> {
  try {
    const { Browser: browser } = await getJson<{ Browser?: string }>(`http://${host}/json/version`);
    const [first] = await getJson<{ id?: string }[]>(`http://${host}/json/list`);
    if (!browser?.startsWith('node.js/') || first?.id === undefined) return undefined;
    return { url: `ws://${host}/${first.id}`, nodeVersion: browser.slice('node.js/'.length) };
  } catch {
    return undefined;
  }
}

async function getJson<T>(url: string): Promise<T> {
  const response = await fetch(url, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
  return (await response.json()) as T;
}
