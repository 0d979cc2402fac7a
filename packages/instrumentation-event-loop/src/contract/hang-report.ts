/**
 * What the watchdog reports while a thread is blocked, and where to. The probe in the blocked thread returns hang
 * reports as JSON and the watchdog sends them, so all of this is plain data.
 */

/** Where OTLP/HTTP requests are sent. */
export interface OtlpTarget {
  readonly traces: OtlpEndpoint;
  readonly metrics: OtlpEndpoint;
  /**
   * Directory that keeps reports until they are delivered, by this process or a later one. Undefined: reports that are
   * not delivered before the process ends are lost.
   */
  readonly spoolDirectory: string | undefined;
}

export interface OtlpEndpoint {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Path of a PEM file, as are the next two. */
  readonly certificate: string | undefined;
  readonly clientKey: string | undefined;
  readonly clientCertificate: string | undefined;
}

export type AttributeValue = string | number | boolean | readonly string[];
export type PlainAttributes = Readonly<Record<string, AttributeValue>>;

/** Ids of a span, in hex. */
export interface SpanIds {
  readonly traceId: string;
  readonly spanId: string;
}

/** Where to report, and for which resource. For a thread that does not answer, the watchdog knows no more. */
export interface HangDestination {
  readonly target: OtlpTarget;
  readonly resource: PlainAttributes;
}

/** A blocked thread's description of its block: what an `event-loop-hang` span needs from OpenTelemetry. */
export interface HangReport {
  /** Null where hangs are not reported by OTLP: JSON keeps it, so that a report without a target stays an invalid one. */
  readonly target: OtlpTarget | null;
  readonly resource: PlainAttributes;
  /** Undefined for a root span. */
  readonly parent: SpanIds | undefined;
  readonly links: readonly SpanIds[];
  readonly attributes: PlainAttributes;
}

/** Message from the watchdog to the thread that has started it: a thread hangs. */
export interface HangNotice extends Pick<HangReport, 'parent' | 'attributes'> {
  readonly startEpochMs: number;
  /** Length of the block so far. */
  readonly durationMs: number;
}
