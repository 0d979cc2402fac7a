/** What a context says about the request in it. */
export interface ContextInfo {
  /** Identifies the request, compared with `===`; undefined outside of any request. */
  readonly request: unknown;
  /** Identifies the innermost span; empty outside of any span. */
  readonly span: string;
  /** When the request's span was started and ended, in ms of this thread's clock; undefined where unknown. */
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
  /** The SDK has marked the context as that of its own work, such as an export. */
  readonly isOfSdk: boolean;
}

/** Reads contexts, which are opaque to all rooms but `export/`. No method throws, or calls code of the application. */
export interface ContextReader {
  /** The context of the code that runs now; `isBlocked` is false for a question at random. */
  active(isBlocked: boolean): unknown;
  infoOf(context: unknown): ContextInfo;
  /** Whether the context's span has not ended; false for a span that this process does not record. */
  hasOpenSpan(context: unknown): boolean;
}
