import type { DatabaseSync, StatementSync } from 'node:sqlite';

import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

const tracer = trace.getTracer('@loopwatch/demo');

/** The transaction was rolled back because it did not commit within its timeout. */
export class TransactionTimeoutError extends Error {
  override readonly name = 'TransactionTimeoutError';
  readonly code = 'TRANSACTION_TIMEOUT';
  readonly statusCode = 503;

  constructor(operation: string, timeoutMs: number, elapsedMs: number) {
    super(
      `Transaction "${operation}" is already closed: its timeout was ${timeoutMs} ms, ` +
        `but ${Math.round(elapsedMs)} ms passed since it began. It was rolled back; try again.`,
    );
  }
}

export interface Transaction {
  /** Prepares a statement; throws `TransactionTimeoutError` once the transaction is closed. */
  prepare(sql: string): StatementSync;
}

/**
 * Runs interactive transactions on one connection, one after the other. A transaction may await other work. It is
 * rolled back when it does not commit within the timeout, so that a stuck one does not hold the write lock forever.
 */
export class TransactionQueue {
  readonly #connection: DatabaseSync;
  readonly #timeoutMs: number;
  #last: Promise<unknown> = Promise.resolve();

  constructor(connection: DatabaseSync, options: { timeoutMs: number }) {
    this.#connection = connection;
    this.#timeoutMs = options.timeoutMs;
  }

  /** Runs the work in its own transaction, after the transactions that are queued already. */
  run<T>(operation: string, work: (transaction: Transaction) => T | Promise<T>): Promise<T> {
    const result = this.#last.then(() => this.#runTraced(operation, work));
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Resolves when all transactions queued so far have ended. */
  async drain(): Promise<void> {
    await this.#last;
  }

  #runTraced<T>(operation: string, work: (transaction: Transaction) => T | Promise<T>): Promise<T> {
    const attributes = { 'db.system.name': 'sqlite', 'db.operation.name': operation };
    return tracer.startActiveSpan(`transaction ${operation}`, { kind: SpanKind.CLIENT, attributes }, async (span) => {
      try {
        return await this.#runOne(operation, work);
      } catch (error) {
        const { message } = error as Error;
        span.recordException(error as Error);
        span.setStatus({ code: SpanStatusCode.ERROR, message });
        throw error;
      } finally {
        span.end();
      }
    });
  }

  async #runOne<T>(operation: string, work: (transaction: Transaction) => T | Promise<T>): Promise<T> {
    const connection = this.#connection;
    const timeoutMs = this.#timeoutMs;
    const beganAt = performance.now();
    let open = true;
    const rollback = (): void => {
      open = false;
      connection.exec('ROLLBACK');
    };
    const assertOpen = (): void => {
      if (!open) throw new TransactionTimeoutError(operation, timeoutMs, performance.now() - beganAt);
    };

    connection.exec('BEGIN IMMEDIATE');
    const timer = setTimeout(rollback, timeoutMs);
    try {
      const result = await work({
        prepare(sql) {
          assertOpen();
          return connection.prepare(sql);
        },
      });
      assertOpen();
      open = false;
      connection.exec('COMMIT');
      return result;
    } catch (error) {
      if (open) rollback();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}
