import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

import { SpanKind, SpanStatusCode, context, propagation, trace } from '@opentelemetry/api';

import { findLogsInPages } from '../runs/logs.js';

const UPLOAD_TIMEOUT_MS = 5000;
const UPLOAD_ATTEMPTS = 3;
const MAX_LOGS = 50_000;

const compress = promisify(gzip);
const tracer = trace.getTracer('@loopwatch/demo');

export interface ExportTask {
  readonly databaseFile: string;
  readonly runId: number;
  readonly uploadUrl: string;
  /** Propagated trace context of the request. */
  readonly carrier: Record<string, string>;
}

export interface ExportResult {
  readonly logCount: number;
  readonly bytes: number;
}

/** Packs the logs of a run and starts their upload. Does not await the upload. */
export function exportRun(task: ExportTask): Promise<ExportResult> {
  return runInRequestContext(task, async () => {
    const archive = await packLogs(task);
    upload(task.uploadUrl, archive.content).catch((error: unknown) => {
      console.error(`The export of run ${task.runId} was not uploaded: ${String(error)}`);
    });
    return describe(archive);
  });
}

/** The fixed variant: awaits the upload. */
export function exportRunCompletely(task: ExportTask): Promise<ExportResult> {
  return runInRequestContext(task, async () => {
    const archive = await packLogs(task);
    await upload(task.uploadUrl, archive.content);
    // `fetch` releases its connection one loop iteration after the answer. The thread must not fall asleep before that.
    await nextIteration();
    return describe(archive);
  });
}

interface Archive {
  readonly logCount: number;
  readonly content: Uint8Array<ArrayBuffer>;
}

async function packLogs({ databaseFile, runId }: ExportTask): Promise<Archive> {
  const reader = new DatabaseSync(databaseFile, { readOnly: true });
  try {
    const logs = await findLogsInPages(reader, runId, MAX_LOGS);
    const lines = logs.map((log) => JSON.stringify(log)).join('\n');
    return { logCount: logs.length, content: new Uint8Array(await compress(lines)) };
  } finally {
    reader.close();
  }
}

/** Uploads the archive; retries on failure. An upload that timed out may have succeeded: a retry stores it twice. */
async function upload(url: string, content: Uint8Array<ArrayBuffer>): Promise<void> {
  await tracer.startActiveSpan('upload', { kind: SpanKind.CLIENT, attributes: { 'url.full': url } }, async (span) => {
    try {
      for (let attempt = 1; ; attempt++) {
        try {
          await putOnce(url, content);
          return;
        } catch (error) {
          span.recordException(error as Error);
          if (attempt === UPLOAD_ATTEMPTS) throw error;
        }
      }
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR, message: (error as Error).message });
      throw error;
    } finally {
      span.end();
    }
  });
}

async function putOnce(url: string, content: Uint8Array<ArrayBuffer>): Promise<void> {
  const signal = AbortSignal.timeout(UPLOAD_TIMEOUT_MS);
  const headers = { 'content-type': 'application/gzip' };
  const response = await fetch(url, { method: 'PUT', body: content, headers, signal });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`Expected the upload to be accepted, got ${response.status}.`);
}

function describe({ logCount, content }: Archive): ExportResult {
  return { logCount, bytes: content.byteLength };
}

function runInRequestContext<T>({ carrier }: ExportTask, work: () => Promise<T>): Promise<T> {
  return context.with(propagation.extract(context.active(), carrier), () =>
    tracer.startActiveSpan('export-run', (span) =>
      work().finally(() => {
        span.end();
      }),
    ),
  );
}
