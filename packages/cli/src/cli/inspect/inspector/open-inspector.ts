import type * as http from 'node:http';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';

import { platform } from '../../platform/current.js';
import type { ListeningSocket, ProcessInfo } from '../../platform/platform.js';
import { Refusal } from '../../platform/refusal.js';
import { checkPort, type InspectorTarget } from '../process/checks.js';
import { assertSameProcess, readProcess } from '../process/processes.js';
import { listeningOf } from '../process/sockets.js';
import { socketsOfOtherLoops } from '../process/wake-ups.js';
import { ConnectionClosed } from './inspector-client.js';

// Required, not imported: an import reads all exports of the module, and the getter of `http.WebSocket` loads undici.
const { get } = createRequire(import.meta.url)('node:http') as typeof http;

export interface OpenInspector {
  readonly address: ListeningSocket;
  readonly url: string;
  readonly nodeVersion: string;
  /** It was open before, and is not ours to close. */
  readonly wasOpen: boolean;
}

export interface OpenOptions {
  readonly timeoutMs: number;
  /** It was closed before the command, so that it is to be closed, also where it is open now. */
  readonly wasClosed?: boolean;
}

const POLL_MS = 10;
const REQUEST_TIMEOUT_MS = 5000;
/** Characters of an answer: Node.js sends some hundreds. */
const MAX_ANSWER = 256 * 1024;
/** Time without a new port, ms, after which the ports that were open before are asked. */
const UNKNOWN_PORT_MS = 1000;
/** Errors that say that no connection can lead there, whatever listens. */
const UNREACHABLE = /^E(NETUNREACH|NETDOWN|HOSTUNREACH|ADDRNOTAVAIL)$/;

/**
 * Opens the inspector of the process by SIGUSR1, unless it is open. Undefined when it did not open in time: the main
 * thread is inside a call that V8 cannot interrupt, or the program has taken the signal for itself. Throws
 * `ConnectionClosed` where it is just being closed, and a refusal where another process has taken its port.
 */
export async function openInspector(
  { info, mayListenOn, port }: InspectorTarget,
  { timeoutMs, wasClosed = false }: OpenOptions,
): Promise<OpenInspector | undefined> {
  const { pid } = info;
  const listeningBefore = listeningOf(pid);
  const before = new Set(listeningBefore.map(({ inode }) => inode));
  const isKnownOpen = mayListenOn.length > 0;
  if (!isKnownOpen) signalProcess(info);
  const startedAt = performance.now();
  let mayAskOthers = !isKnownOpen;
  let unreachable: string | undefined;
  // Nothing listened there at the check: an inspector that does was opened meanwhile, by another `loopwatch` perhaps.
  const isExpected = (socket: ListeningSocket): boolean => !isKnownOpen && port !== 0 && socket.port === port;
  let hasListened = listeningBefore.some(isExpected);
  for (;;) {
    const elapsedMs = performance.now() - startedAt;
    const listening = listeningOf(pid);
    // Once: the others may be servers of the program.
    const asksOthers = mayAskOthers && elapsedMs > UNKNOWN_PORT_MS;
    if (asksOthers) mayAskOthers = false;
    const others = asksOthers ? othersAmong(listening, { pid, port }) : [];
    const candidates = isKnownOpen
      ? mayListenOn
      : listening.filter((socket) => others.includes(socket) || isExpected(socket) || !before.has(socket.inode));
    // Node.js ignores the signal while the inspector is open: one that is closed now does not open by it.
    if (hasListened && !listening.some(isExpected)) throw new ConnectionClosed();
    hasListened ||= listening.some(isExpected);
    for (const address of candidates) {
      const inspector = await describeInspector(`${address.host}:${address.port}`, ({ code = '' }) => {
        if (UNREACHABLE.test(code)) unreachable = `${address.host}:${address.port} cannot be reached (${code})`;
      });
      if (inspector) {
        const isElsewhere = port !== 0 && others.includes(address);
        const wasOpen = isElsewhere || (!wasClosed && before.has(address.inode) && !isExpected(address));
        return { ...inspector, address, wasOpen };
      }
    }
    // On a free port, what has closed since the signal was perhaps the inspector: then, Node.js has ignored the signal.
    const hasClosed = (socket: ListeningSocket): boolean => listening.every(({ inode }) => inode !== socket.inode);
    if (port === 0 && elapsedMs > UNKNOWN_PORT_MS && listeningBefore.some(hasClosed)) throw new ConnectionClosed();
    if (!readProcess(pid)) throw endedError(pid);
    if (unreachable !== undefined && (isKnownOpen || elapsedMs > timeoutMs)) throw unreachableRefusal(pid, unreachable);
    if (isKnownOpen) throw isStillListening(pid, mayListenOn) ? noInspectorRefusal(pid, port) : new ConnectionClosed();
    if (elapsedMs > timeoutMs) {
      // Another process may have opened its inspector there since the check: then, Node.js could not.
      checkPort(info, port);
      return undefined;
    }
    await sleep(POLL_MS);
  }
}

function signalProcess(info: ProcessInfo): void {
  // The signal would end another program that has the id by now, or that the process has executed.
  if (assertSameProcess(info).catchesSigusr1 === false) throw endedError(info.pid);
  platform().askForInspector(info.pid);
}

function endedError(pid: number): Error {
  return new Error(`Process ${pid} ended before it could answer.`);
}

function unreachableRefusal(pid: number, problem: string): Refusal {
  return new Refusal(
    `the inspector of process ${pid} to be reachable`,
    problem,
    'It stays open. Bring the loopback interface of its network up: ip link set lo up',
  );
}

function noInspectorRefusal(pid: number, port: number): Refusal {
  return new Refusal(
    `an inspector on port ${port} of process ${pid}`,
    'something else that listens there',
    'Give the process another port for its inspector: --inspect-port.',
  );
}

/**
 * Where the inspector may be open without that being known: the port is not known; or the program has opened it by
 * `inspector.open()`, or hides `--inspect=PORT` by a title. Then, Node.js has ignored the signal.
 */
function othersAmong(
  listening: readonly ListeningSocket[],
  { pid, port }: { readonly pid: number; readonly port: number },
): readonly ListeningSocket[] {
  if (port === 0) return listening;
  const inodes = socketsOfOtherLoops(pid);
  return listening.filter(({ inode }) => inodes.has(inode));
}

function isStillListening(pid: number, sockets: readonly ListeningSocket[]): boolean {
  const inodes = new Set(listeningOf(pid).map(({ inode }) => inode));
  return sockets.every(({ inode }) => inodes.has(inode));
}

/** What listens at that host and port, if it is an inspector of Node.js. `onError` is called if nothing answers. */
export async function describeInspector(
  host: string,
  onError: (error: NodeJS.ErrnoException) => void = () => undefined,
): Promise<Pick<OpenInspector, 'url' | 'nodeVersion'> | undefined> {
  try {
    const [{ Browser: browser }, [first]] = await Promise.all([
      getJson<{ Browser?: string }>(`http://${host}/json/version`),
      getJson<{ id?: string }[]>(`http://${host}/json/list`),
    ]);
    const [, nodeVersion] = /^node\.js\/(v\d+\.\d+\.\d+[\w.+-]{0,100})$/.exec(browser ?? '') ?? [];
    if (nodeVersion === undefined || !/^[\w-]{1,100}$/.test(first?.id ?? '')) return undefined;
    return { url: `ws://${host}/${first?.id}`, nodeVersion };
  } catch (error) {
    onError(error as NodeJS.ErrnoException);
    return undefined;
  }
}

/** Not by `fetch`, whose loading takes time in which the inspector is open, and nothing closes it if this ends. */
function getJson<T>(url: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        if (text.length > MAX_ANSWER) response.destroy(new Error(`Expected a short answer from ${url}.`));
      });
      response.on('error', reject);
      response.on('end', () => {
        try {
          resolve(JSON.parse(text) as T);
        } catch (cause) {
          reject(new Error(`Expected JSON from ${url}.`, { cause }));
        }
      });
    });
    request.on('error', reject);
  });
}
