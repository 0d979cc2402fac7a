import { groupBy } from '../collections.js';
import { formatMs, plural } from '../text/format.js';

/** A task that waited for a thread of libuv's pool. */
export interface PoolWait {
  readonly instance: string;
  /** Epoch, ms. */
  readonly startMs: number;
  readonly durationMs: number;
  /** False: it still waited when it was reported. Absent where a span reports it, which does not say. */
  readonly ended?: boolean;
  /** Number of threads of the pool; absent where the system does not show them. */
  readonly size?: number;
  /** What the threads did, as `cpu×4` or `openat×3`; empty where the system does not show it. */
  readonly holders: readonly string[];
  /** Operations that waited, as `FSReqCallback×12`. Node.js does not list hashing and compression. */
  readonly queued: readonly string[];
  /** Requests that were not answered then, as `POST /login×12`; absent where they are not known. */
  readonly requests?: readonly string[];
  /** Only tasks that may take half of the pool waited: `dns.lookup`. */
  readonly lane?: 'slow_io';
}

const DEFAULT_SIZE = 4;
/** Calls in which a task on a file waits for what is behind it. */
const FILE_CALL =
  /^(open|p?(read|write)v?|l?stat|newfstatat|f(data)?sync|f?truncate|getdents|rename|unlink|mkdir|rmdir|copy_file|sendfile|flock)/;
const NETWORK_CALL = /^(poll|ppoll|connect|send|recv|epoll_wait)/;

/** Services that have a sentence of their own. */
const MAX_SERVICES = 3;
/** What the threads did: further entries are not shown. */
const MAX_HOLDERS = 3;
const MAX_REQUESTS = 3;

/**
 * What the longest wait shows, as one sentence, and how to mend it: for a program whose loop is free while its tasks
 * wait. Undefined without a wait.
 */
export function poolSentence(waits: readonly PoolWait[], service?: string): string | undefined {
  const [longest, ...others] = longestFirst(waits);
  if (!longest) return undefined;
  const length = `${others.length > 0 ? 'up to ' : ''}${formatMs(longest.durationMs)}`;
  const subject = longest.lane === 'slow_io' ? 'Lookups' : 'Tasks';
  const waited = `${subject}${service === undefined ? '' : ` of ${service}`} waited`;
  const facts = [holdersText(longest), queuedText(longest), requestsText(longest)].filter((text) => text !== undefined);
  const because = facts.length > 0 ? `: ${facts.join('; ')}` : '';
  return `${waited} ${length} for libuv's thread pool${because}. ${adviceOn(longest)}`;
}

/** A sentence for each of the services whose tasks waited longest, and one that counts the others. */
export function poolSentences(
  waits: Iterable<PoolWait>,
  serviceOf: (instance: string) => string | undefined,
): string[] {
  const byService = groupBy([...waits], ({ instance }) => serviceOf(instance) ?? 'unknown_service');
  const services = [...byService].map(([service, of]) => ({ service, waits: longestFirst(of) }));
  services.sort((a, b) => b.waits[0]!.durationMs - a.waits[0]!.durationMs);
  const sentences = services.slice(0, MAX_SERVICES).map(({ service, waits: of }) => poolSentence(of, service)!);
  const [next, ...others] = services.slice(MAX_SERVICES);
  if (!next) return sentences;
  const count = others.length + 1;
  const upTo = formatMs(next.waits[0]!.durationMs);
  return [...sentences, `Tasks of ${count} more ${count === 1 ? 'service' : 'services'} waited for it, up to ${upTo}.`];
}

function longestFirst(waits: readonly PoolWait[]): PoolWait[] {
  return [...waits].sort((a, b) => b.durationMs - a.durationMs);
}

/** `4 of 4 threads compute, probably hashes or compression`. Undefined where it is not known. */
export function holdersText({ holders, size, lane }: PoolWait): string | undefined {
  const known = holders.map(parseCount).filter(({ name }) => lane === undefined || NETWORK_CALL.test(name));
  if (known.length === 0 || size === undefined) return undefined;
  const texts = known
    .slice(0, MAX_HOLDERS)
    .map(
      ({ name, count }, index) => `${count}${index === 0 ? ` of ${plural(size, 'thread')}` : ''} ${doing(name, count)}`,
    );
  return texts.join(', ');
}

/**
 * `12 file operations and 3 lookups wait`. Undefined where none is known. The measured wait is that of a task. Of several
 * lookups, libuv takes one and queues the next behind all other tasks.
 */
export function queuedText({ queued, lane }: PoolWait): string | undefined {
  const counts = queued.map(parseCount);
  const files = sumOf(counts.filter(({ name }) => name.startsWith('FSReq')));
  const lookups = sumOf(counts.filter(({ name }) => name.startsWith('Get')));
  const texts = [
    ...(files > 0 ? [plural(files, 'file operation')] : []),
    ...(lookups > 0 ? [plural(lookups, 'lookup')] : []),
  ];
  if (texts.length === 0) return undefined;
  const longer = lookups > 1 && lane === undefined ? `,${files > 0 ? ' lookups' : ''} probably longer` : '';
  return `${texts.join(' and ')} ${files + lookups === 1 ? 'waits' : 'wait'}${longer}`;
}

/** `not answered then: 12 × POST /login, 2 × GET /file`. Undefined where none is known. */
function requestsText({ requests = [] }: PoolWait): string | undefined {
  const texts = requests.flatMap((text) => {
    const at = text.lastIndexOf('×');
    const count = Number.parseInt(text.slice(at + 1), 10);
    return at > 0 && count > 0 ? [`${count} × ${text.slice(0, at)}`] : [];
  });
  return texts.length > 0 ? `not answered then: ${texts.slice(0, MAX_REQUESTS).join(', ')}` : undefined;
}

function adviceOn({ holders, size, lane }: PoolWait): string {
  const setting = `UV_THREADPOOL_SIZE (${size === undefined ? `${DEFAULT_SIZE} unless it is set` : `${size} now`})`;
  if (lane === 'slow_io') {
    return `Lookups take at most half of the threads: keep connections open, cache addresses, or raise ${setting}.`;
  }
  // The other threads for which one waits (`futex`) may compute: those of `sharp`, `argon2`.
  const computes = holders.some((holder) => /^(cpu|kernel|futex)×/.test(holder));
  if (computes) return `Start fewer of them at once, or raise ${setting} where CPUs are free.`;
  // Fewer at once would wait as long.
  return holders.length > 0 && holders.every((holder) => FILE_CALL.test(holder))
    ? `Probably a slow disk, a network file system or a FIFO holds them: look there first, or raise ${setting}.`
    : `Start fewer of them at once, or raise ${setting}.`;
}

function doing(name: string, count: number): string {
  const isOne = count === 1;
  if (name === 'cpu') return `${isOne ? 'computes' : 'compute'}, probably hashes or compression`;
  if (name === 'kernel') return `${isOne ? 'works' : 'work'} in the kernel, probably on files`;
  if (name === 'futex') return `${isOne ? 'waits' : 'wait'} for other threads, probably of a native package`;
  if (NETWORK_CALL.test(name)) return `${isOne ? 'waits' : 'wait'} for the network (${name})`;
  return `${isOne ? 'is' : 'are'} in ${name}`;
}

/** Of `cpu×4`. */
function parseCount(text: string): { readonly name: string; readonly count: number } {
  const [name = '', count = ''] = text.split('×');
  return { name, count: Number.parseInt(count, 10) || 0 };
}

function sumOf(counts: readonly { readonly count: number }[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0);
}
