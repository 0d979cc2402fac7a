/*
 * What the rules judge: plain data, so that they are tested without processes, files and networks. A fact that could not
 * be collected is undefined, and no rule finds fault with it.
 */

export interface Facts {
  readonly target: Target;
  readonly platform: string;
  readonly loopwatchVersion: string;
  /** `v24.21.0`; undefined for a process whose version is not visible from outside. */
  readonly nodeVersion: string | undefined;
  /** `install` with Yarn's Plug'n'Play leaves no node_modules to look into. */
  readonly hasPlugAndPlay: boolean;
  readonly packages: readonly PackageCopy[];
  /** `LOOPWATCH_*`, `OTEL_*` and `NODE_OPTIONS`; undefined for a process whose environment may not be read. */
  readonly env: Environment | undefined;
  /** Flags of Node.js, from the command line of the process and `NODE_OPTIONS`. */
  readonly flags: readonly string[];
  /** What the installed instrumentation logs about the environment when it is constructed. */
  readonly configurationWarnings: readonly string[];
  /** Files that the environment names and that do not exist: variable and path. */
  readonly missingFiles: readonly { readonly variable: string; readonly path: string }[];
  readonly inspector: InspectorFacts | undefined;
  readonly system: SystemFacts | undefined;
  /** Undefined where the environment selects no OTLP exporter. */
  readonly exporter: ExporterFacts | undefined;
  readonly clock: ClockFacts;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Target {
  readonly directory: string;
  /** Undefined: no process, but the directory and the environment of the command. */
  readonly process: ProcessFacts | undefined;
}

export interface ProcessFacts {
  readonly pid: number;
  readonly command: string;
  readonly isNode: boolean;
  /** Loopwatch is in its command line, environment or threads. */
  readonly isWatched: boolean;
  /** Why `dump` and `attach` cannot ask the process; undefined where they can. */
  readonly refusal: { readonly problem: string; readonly advice: string } | undefined;
  /** Its script has a source map beside it. */
  readonly hasSourceMap: boolean;
}

/** One copy of a package that the application or one of its packages loads. */
export interface PackageCopy {
  readonly name: string;
  readonly version: string;
  readonly directory: string;
  /** Name of the package that loads this copy first; `the application` for its own. */
  readonly usedBy: string;
}

export interface InspectorFacts {
  readonly port: number;
  /** The process itself listens on the port. */
  readonly isOpen: boolean;
  /** The process that listens on the port; undefined: it is free. */
  readonly takenBy: string | undefined;
}

export interface SystemFacts {
  readonly hasProc: boolean;
  readonly hasSchedstat: boolean;
  readonly hasSyscall: boolean;
  /** CPUs that the cgroup allows; undefined: no quota. */
  readonly cpuQuota: number | undefined;
}

export interface ExporterFacts {
  /** Without user and password. */
  readonly url: string;
  readonly protocol: string;
  /** The variable that has named the endpoint; undefined: the default. */
  readonly variable: string | undefined;
  readonly answer: ExporterAnswer;
}

export type ExporterAnswer =
  | { readonly kind: 'status'; readonly status: number; readonly server: string | undefined; readonly ms: number }
  /** OTLP/gRPC: only the connection was tried. */
  | { readonly kind: 'connected'; readonly ms: number }
  | { readonly kind: 'error'; readonly reason: string };

export interface ClockFacts {
  /** How far the wall clock has moved against the monotonic clock while the facts were collected, ms. */
  readonly stepMs: number;
  /** Wall clock of this machine minus the `Date` of the receiver's answer, ms; undefined without such an answer. */
  readonly skewMs: number | undefined;
}
