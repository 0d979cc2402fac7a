/**
 * What the watchdog reports while a thread is blocked, and where. The blocked thread's probe writes hang reports as JSON,
 * the watchdog sends them: all of it is plain data.
 */

/** Two OTLP/HTTP endpoints. */
export interface OtlpTarget {
  readonly traces: OtlpEndpoint;
  readonly metrics: OtlpEndpoint;
  /** Directory for reports that were not delivered before the process ended; undefined: those are lost. */
  readonly spoolDirectory: string | undefined;
}

export interface OtlpEndpoint {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Paths of PEM files. */
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

/** Where to report, and for which resource: all that is known of a thread that does not answer. */
export interface HangDestination {
  readonly target: OtlpTarget;
  readonly resource: PlainAttributes;
}

/** What a blocked thread says of its block: all that an `event-loop-hang` span needs of OpenTelemetry. */
export interface HangReport extends HangDestination {
  /** Undefined: a root span. */
  readonly parent: SpanIds | undefined;
  readonly links: readonly SpanIds[];
  readonly attributes: PlainAttributes;
}
