import { readFileSync } from 'node:fs';
import { chown, readdir } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

import type { ThreadDump } from '../../model/dump.js';
import { checkTarget } from './checks.js';
import { connectInspector, type InspectorClient, NoAnswer } from './inspector-client.js';
import { closeLater, guard, isClosed } from './leave.js';
import { lookAtThread } from './look-at-thread.js';
import { describeInspector, openInspector } from './open-inspector.js';
import { namespaceOf, type ProcessInfo, threadCpuMs } from './processes.js';
import { Refusal } from './refusal.js';
import { evaluation, parseSnapshot, SNAPSHOT_EXPRESSION } from './snapshot.js';
import { attachToWorkers } from './worker-threads.js';

export interface AttachedProcess {
  readonly pid: number;
  readonly workers: number;
  /** Worker threads that are not watched: each would need a watchdog thread of its own. */
  readonly skippedWorkers: number;
  /** Where the main thread was at the time of the attach. */
  readonly main: ThreadDump;
  /** Closed; open as it was before; or open because the process hangs: it is closed when the event loop iterates. */
  readonly inspector: 'closed' | 'was_open' | 'hangs';
}

/** A worker that ran before the attach has a watchdog thread of its own, of about 10 MB. */
const MAX_WORKERS = 8;
const OLDEST_NODE = [20, 6] as const;

/** Instruments a process that already runs. Its threads write to the channel in `directory`. */
export async function attachToProcess(pid: number, directory: string, timeoutMs: number): Promise<AttachedProcess> {
  const target = checkTarget(pid);
  checkFileSystem(target.info);
  await giveTo(target.info, directory);
  const inspector = await openInspector(target, timeoutMs);
  if (!inspector) {
    throw new Refusal(
      `process ${pid} to open its inspector on SIGUSR1 within ${timeoutMs / 1000} s`,
      'none',
      'Its main thread is inside a call that V8 cannot interrupt, or the program has a listener of its own for that ' +
        `signal. See where it is: loopwatch dump ${pid}`,
    );
  }
  const wasOpen = target.mayListenOn.length > 0;
  const client = await connectInspector(inspector.url);
  if (!wasOpen) guard(client, inspector.nodeVersion);
  try {
    const attached = await inject(client, inspector.nodeVersion, { directory, timeoutMs, info: target.info });
    return { ...attached, pid, inspector: await leave() };
  } catch (error) {
    await leave();
    throw error;
  }

  async function leave(): Promise<AttachedProcess['inspector']> {
    if (!wasOpen) await closeLater(client, inspector!.nodeVersion);
    await client.close();
    if (wasOpen) return 'was_open';
    return (await isClosed(pid, inspector!)) ? 'closed' : 'hangs';
  }
}

/** As `attachToProcess`, through an inspector that is open already, and stays open. */
export async function attachToInspector(url: string, directory: string, timeoutMs: number): Promise<AttachedProcess> {
  const inspector = await describeInspector(new URL(url).host);
  if (!inspector) {
    throw new Refusal(
      `an inspector of Node.js at ${url}`,
      'none',
      'Give the address that Node.js prints, such as ws://127.0.0.1:9229',
    );
  }
  const client = await connectInspector(inspector.url);
  try {
    const attached = await inject(client, inspector.nodeVersion, { directory, timeoutMs, info: undefined });
    return { ...attached, inspector: 'was_open' };
  } finally {
    await client.close();
  }
}

interface Injection {
  readonly directory: string;
  readonly timeoutMs: number;
  /** The process that must answer; undefined: any. */
  readonly info: ProcessInfo | undefined;
}

async function inject(
  client: InspectorClient,
  nodeVersion: string,
  { directory, timeoutMs, info }: Injection,
): Promise<Omit<AttachedProcess, 'inspector'>> {
  checkVersion(nodeVersion);
  const parameters = evaluation(SNAPSHOT_EXPRESSION, nodeVersion);
  let pid = 0;
  const main = await lookAtThread({
    threadId: 0,
    threadName: 'main',
    ask: async () => {
      const snapshot = parseSnapshot(await client.call('Runtime.evaluate', parameters, timeoutMs));
      pid = snapshot?.pid ?? pid;
      if (snapshot && info && snapshot.pid !== info.innerPid) {
        throw new Refusal(
          `process ${info.innerPid} to answer`,
          `process ${snapshot.pid} answers on that port`,
          'Nothing was done to it. Try again when its inspector is closed.',
        );
      }
      return snapshot;
    },
    cpuMs: () => info && threadCpuMs(info.pid, info.pid),
  });
  const agent = evaluation(agentExpression(directory), nodeVersion);
  const workers = await attachToWorkers(client, timeoutMs);
  // The main thread first: it says whether the process can be watched.
  const answer = resultOf(await client.call('Runtime.evaluate', agent, timeoutMs));
  if (answer !== '') throw new Refusal('a process that can be watched', answer, 'It was left as it was.');
  let watched = 0;
  for (const worker of workers.slice(0, MAX_WORKERS)) {
    try {
      if (resultOf(await worker.call('Runtime.evaluate', agent, timeoutMs)) === '') watched += 1;
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
    }
  }
  return { pid, main, workers: watched, skippedWorkers: workers.length - watched };
}

/** Evaluates the agent as a CommonJS module. The process needs no file of it, and its module cache does not change. */
function agentExpression(directory: string): string {
  const source = readFileSync(fileURLToPath(new URL('./agent.cjs', import.meta.url)), 'utf8');
  return `(() => {
    const load = process.getBuiltinModule ?? require;
    const module = { exports: {} };
    const keys = Object.getOwnPropertySymbols(globalThis);
    try {
      const own = load('node:module').createRequire(process.execPath);
      load('node:vm').compileFunction(${JSON.stringify(source)}, ['require', 'module', 'exports'], {
        filename: 'loopwatch:agent',
      })(own, module, module.exports);
      return module.exports.start(${JSON.stringify(directory)}, keys);
    } catch (error) {
      return 'one in which the agent does not start (' + String(error?.message ?? error) + ')';
    }
  })()`;
}

function resultOf(evaluated: unknown): string {
  const { result } = evaluated as { readonly result?: { readonly value?: unknown; readonly description?: string } };
  return typeof result?.value === 'string' ? result.value : `no answer (${result?.description ?? 'no result'})`;
}

function checkVersion(nodeVersion: string): void {
  const [major = 0, minor = 0] = nodeVersion.replace(/^v/, '').split('.').map(Number);
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return;
  throw new Refusal(
    `Node.js ${OLDEST_NODE.join('.')} or newer`,
    `Node.js ${nodeVersion}`,
    'loopwatch dump works with older versions.',
  );
}

/** The channel is a file and a socket in a directory that both processes must see. */
function checkFileSystem({ pid, innerPid }: ProcessInfo): void {
  const [own, others] = [namespaceOf('self', 'mnt'), namespaceOf(pid, 'mnt')];
  if (own === others || others === undefined) return;
  throw new Refusal(
    'a process that shares the file system of loopwatch',
    'one in a container',
    `Run loopwatch inside the container, where the process has the id ${innerPid}: docker exec, kubectl exec. Or see ` +
      `where it is now: loopwatch dump ${pid}`,
  );
}

/** The directory is private. Where root attaches to a process of another user, that user must be able to open it. */
async function giveTo({ userId }: ProcessInfo, directory: string): Promise<void> {
  if (userId === process.geteuid?.()) return;
  for (const name of ['', ...(await readdir(directory))]) await chown(path.join(directory, name), userId, -1);
}
