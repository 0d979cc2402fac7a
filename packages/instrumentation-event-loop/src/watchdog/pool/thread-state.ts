/**
 * What a thread of the pool does: `idle`, `cpu`, or the name of the system call in which it is. A call that copies a file
 * from the cache of the system uses the CPU, and is `cpu` to one look: only its CPU times show that it is `kernel`.
 */
export type ThreadState = string;

export const IDLE = 'idle';
export const CPU = 'cpu';
export const KERNEL = 'kernel';

interface SystemCalls {
  readonly futex: string;
  /** Names of the calls in which tasks of the pool spend time; others are named by their number. */
  readonly names: Readonly<Record<string, string>>;
}

const CALLS: Partial<Record<NodeJS.Architecture, SystemCalls>> = {
  x64: {
    futex: '202',
    names: namesOf(
      '0 read 1 write 2 open 3 close 4 stat 6 lstat 7 poll 17 pread64 18 pwrite64 19 readv 20 writev 35 nanosleep ' +
        '40 sendfile 42 connect 44 sendto 45 recvfrom 46 sendmsg 47 recvmsg 72 fcntl 73 flock 74 fsync 75 fdatasync ' +
        '76 truncate 77 ftruncate 78 getdents 82 rename 83 mkdir 84 rmdir 87 unlink 89 readlink 90 chmod 202 futex ' +
        '217 getdents64 230 clock_nanosleep 232 epoll_wait 257 openat 258 mkdirat 262 newfstatat 263 unlinkat ' +
        '264 renameat 267 readlinkat 271 ppoll 280 utimensat 295 preadv 296 pwritev 307 sendmmsg 316 renameat2 ' +
        '326 copy_file_range 332 statx 61 wait4',
    ),
  },
  arm64: {
    futex: '98',
    names: namesOf(
      '25 fcntl 32 flock 34 mkdirat 35 unlinkat 38 renameat 45 truncate 46 ftruncate 56 openat 57 close 61 getdents64 ' +
        '63 read 64 write 65 readv 66 writev 67 pread64 68 pwrite64 69 preadv 70 pwritev 71 sendfile 73 ppoll ' +
        '78 readlinkat 79 newfstatat 82 fsync 83 fdatasync 88 utimensat 98 futex 101 nanosleep 115 clock_nanosleep ' +
        '203 connect 206 sendto 207 recvfrom 211 sendmsg 212 recvmsg 260 wait4 269 sendmmsg 276 renameat2 ' +
        '285 copy_file_range 291 statx',
    ),
  },
};

/** Addresses of the executable and its static data, where libuv's lock for idle threads lies. */
export interface StaticRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Parses the kernel's `/proc/…/syscall` of a thread of the pool. An idle thread waits (`futex`) at a lock in libuv's
 * static data; one that waits at another lock is inside a task. Where that range is not known, each wait counts as idle.
 * Undefined where the system does not show it.
 */
export function threadStateOf(
  text: string,
  architecture: NodeJS.Architecture,
  range: StaticRange | undefined,
): ThreadState | undefined {
  const calls = CALLS[architecture];
  const [call = '', first = ''] = text.trim().split(' ', 2);
  if (call === 'running' || call === '-1') return CPU;
  if (!calls || !/^\d+$/.test(call)) return undefined;
  if (call === calls.futex && (range === undefined || isWithin(Number(first), range))) return IDLE;
  return calls.names[call] ?? `system call ${call}`;
}

/** Address at which the thread waits, in units of a lock's size; undefined where it does not wait in the range. */
export function waitAddressOf(text: string, architecture: NodeJS.Architecture, range: StaticRange): number | undefined {
  const [call = '', first = ''] = text.trim().split(' ', 2);
  const address = Number(first);
  // The two groups of waiters of one condition variable are 4 bytes apart.
  return call === CALLS[architecture]?.futex && isWithin(address, range) ? Math.floor(address / 16) : undefined;
}

/**
 * The executable's static data, from `/proc/self/maps`: from its first mapping to the heap. Undefined where the file
 * does not show it.
 */
export function staticRangeOf(maps: string, executable: string): StaticRange | undefined {
  const lines = maps.split('\n');
  const own = lines.find((line) => line.endsWith(executable));
  const heap = lines.find((line) => line.endsWith('[heap]'));
  if (own === undefined || heap === undefined) return undefined;
  const start = Number.parseInt(own, 16);
  const end = Number.parseInt(heap, 16);
  return start < end ? { start, end } : undefined;
}

/** Whether a task in that call waits for the network, as `dns.lookup` does. */
export function isNetworkCall(state: ThreadState): boolean {
  return /^(poll|ppoll|connect|send|recv|epoll_wait)/.test(state);
}

function isWithin(address: number, { start, end }: StaticRange): boolean {
  return address >= start && address < end;
}

function namesOf(list: string): Record<string, string> {
  const words = list.split(' ');
  return Object.fromEntries(words.flatMap((word, i) => (i % 2 === 0 ? [[word, words[i + 1]!]] : [])));
}
