/** A process, as the system describes it. */
export interface ProcessInfo {
  readonly pid: number;
  readonly parentPid: number;
  /** `/proc/ID` also exists for the id of a thread: this is that of its process. */
  readonly processId: number;
  /** Process id in its own pid namespace: differs from the outer one in a container. */
  readonly innerPid: number;
  /** Linux cuts it at 15 characters. */
  readonly name: string;
  /** Undefined on Windows. */
  readonly userId: number | undefined;
  /** Empty where it cannot be read: a process of another user. */
  readonly executable: string;
  /** Where the system shows one text (`ps`, Windows), its words: an argument with spaces is several of them. */
  readonly args: readonly string[];
  /** `R` running, `S` sleeping, `D` in an uninterruptible wait, `T` and `t` stopped, `Z` ended but not collected. */
  readonly state: string;
  readonly cpuMs: number;
  /** Start of the process, in ms, on a clock that the system selects: to tell processes apart. */
  readonly startedMs: number;
  readonly ageMs: number;
  /** False until a process that was forked runs a program of its own: until then it looks like its parent. */
  readonly hasExecuted: boolean;
  /** The process has a handler for `SIGUSR1`. Without one, the signal would end it. Undefined: the system does not say. */
  readonly catchesSigusr1: boolean | undefined;
}

export interface ListeningSocket {
  readonly port: number;
  /** `127.0.0.1`, `[::1]` or another address as the URL of an HTTP request needs it. */
  readonly host: string;
  /** What tells the socket from another one with its port: the inode on Linux. */
  readonly inode: string;
}

/** A socket with an open connection. */
export interface ConnectedSocket {
  /** The port at this end. */
  readonly port: number;
  readonly remotePort: number;
  readonly inode: string;
}

/**
 * What the command line asks of a system about processes. What a system does not tell is undefined, or an empty list; no
 * method throws because a process has ended or belongs to another user.
 */
export interface Platform {
  /** Undefined when no process has that id. */
  process(pid: number): ProcessInfo | undefined;
  /** All processes that this user may see. */
  processes(): readonly ProcessInfo[];
  /** Those of `candidates` whose binary is Node.js, by what it contains. The name says nothing. */
  nodeAmong(candidates: readonly ProcessInfo[]): readonly ProcessInfo[];
  /** `NAME=value` each. */
  environment(pid: number): readonly string[];
  workingDirectory(pid: number): string | undefined;
  threadIds(pid: number): readonly number[];
  threadName(pid: number, tid: number): string | undefined;
  /** Whether the process has a file open in which the kernel says when a thread of its own ran. Only Linux has such files. */
  readsOwnThreads(pid: number): boolean;
  /** CPU time of a thread, ms. */
  threadCpuMs(pid: number, tid: number): number | undefined;
  /** Whether a thread is on a CPU or ready to run, not asleep. */
  isThreadReady(pid: number, tid: number): boolean | undefined;
  /** The listening TCP sockets where the process is: in its network namespace, else on this machine. */
  listeningIn(pid: number): readonly ListeningSocket[];
  /** Of the listening sockets, those that the process itself holds. */
  listeningOf(pid: number): readonly ListeningSocket[];
  connectionsOf(pid: number): readonly ConnectedSocket[];
  /** Id of the process that holds a socket, among those that this user may look into. */
  holderOf(inode: string): number | undefined;
  /** Which namespace of that kind the process is in. Only Linux has them. */
  namespace(pid: number | 'self', kind: 'net' | 'mnt' | 'pid'): string | undefined;
  /** The text of `/proc/PID/cgroup`; empty elsewhere. */
  controlGroups(pid: number): string;
  /** Whether paths that the process names lead elsewhere here: it has a root or mounts of its own. */
  hasOtherFiles(pid: number): boolean;
  /** Has Node.js open the inspector of the process. */
  askForInspector(pid: number): void;
}
