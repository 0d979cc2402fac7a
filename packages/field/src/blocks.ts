/** A reported block, from `loopwatch run` or from a span. */
export interface ReportedBlock {
  readonly pid: number;
  readonly threadId: number;
  /** Epoch, ms. */
  readonly startMs: number;
  readonly durationMs: number;
  readonly cause: string;
  readonly stackQuality: string;
  /** False: only a hang report has arrived. */
  readonly ended: boolean;
  readonly culprit?: Place;
  /** The most frequent stack, top first: lines as `Error#stack` has them. */
  readonly stackTrace?: string;
}

export interface Place {
  readonly functionName: string;
  /** Absolute path or URL. */
  readonly filePath: string;
  /** From 1; 0 when unknown. */
  readonly lineNumber: number;
  /** From 1; 0 when unknown. */
  readonly columnNumber: number;
}

/** The part of a recording of `loopwatch run` that is read. */
export interface Recording {
  readonly blocks: readonly (Omit<ReportedBlock, 'pid'> & { readonly instance: string })[];
  readonly processes: readonly { readonly id: string; readonly pid?: number }[];
}

export function blocksOfRecording({ blocks, processes }: Recording): ReportedBlock[] {
  const pids = new Map(processes.map(({ id, pid }) => [id, pid]));
  return blocks.map(({ instance, ...block }) => ({ ...block, pid: pids.get(instance) ?? Number(instance) }));
}

/** The part of an OTLP/HTTP JSON request that is read. */
export interface TraceRequest {
  readonly resourceSpans?: readonly {
    readonly resource?: { readonly attributes?: readonly OtlpAttribute[] };
    readonly scopeSpans?: readonly { readonly spans?: readonly OtlpSpan[] }[];
  }[];
}

interface OtlpSpan {
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes?: readonly OtlpAttribute[];
}

interface OtlpAttribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: string | number; readonly doubleValue?: number };
}

export function blocksOfTraces({ resourceSpans = [] }: TraceRequest): ReportedBlock[] {
  return resourceSpans.flatMap(({ resource, scopeSpans = [] }) => {
    const pid = Number(valuesOf(resource?.attributes)['process.pid'] ?? 0);
    return scopeSpans
      .flatMap(({ spans = [] }) => spans)
      .filter(({ name }) => name === 'event-loop-blocked')
      .map((span) => blockOfSpan(span, pid));
  });
}

function blockOfSpan(span: OtlpSpan, pid: number): ReportedBlock {
  const values = valuesOf(span.attributes);
  const startMs = Number(span.startTimeUnixNano) / 1e6;
  const functionName = values['code.function.name'];
  return {
    pid,
    threadId: Number(values['thread.id'] ?? 0),
    startMs,
    durationMs: Number(span.endTimeUnixNano) / 1e6 - startMs,
    cause: String(values['event_loop.blocked.cause']),
    stackQuality: String(values['event_loop.blocked.stack_quality']),
    ended: true,
    ...(values['code.stacktrace'] !== undefined && { stackTrace: String(values['code.stacktrace']) }),
    ...(functionName !== undefined && {
      culprit: {
        functionName: String(functionName),
        filePath: String(values['code.file.path']),
        lineNumber: Number(values['code.line.number'] ?? 0),
        columnNumber: Number(values['code.column.number'] ?? 0),
      },
    }),
  };
}

function valuesOf(attributes: readonly OtlpAttribute[] = []): Record<string, string | number | undefined> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.doubleValue]),
  );
}
