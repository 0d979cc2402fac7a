/**
 * The size of every payload is measured by serialising it first, on each task creation.
 * @culprit payloadSize
 * @cause javascript native gc
 * @parent create-task
 * @flags --enable-source-maps
 */
import { trace } from '@opentelemetry/api';
import truth = require('../kit/truth.cjs');

interface Payload {
  readonly kind: 'upload' | 'mail';
  readonly parts: readonly { readonly name: string; readonly content: string }[];
}

const payload: Payload = {
  kind: 'upload',
  parts: Array.from({ length: 200 }, (_, index) => ({ name: `part ${index}`, content: 'ä'.repeat(2000) })),
};

// <culprit>
const payloadSize = (value: Payload): number => Buffer.byteLength(JSON.stringify(value), 'utf8');
// </culprit>

class TaskQueue {
  private readonly limit: number;

  constructor(limit: number) {
    this.limit = limit;
  }

  async create(value: Payload): Promise<boolean> {
    await Promise.resolve();
    truth.begin();
    const until = performance.now() + 400;
    let accepted = true;
    while (performance.now() < until) accepted = payloadSize(value) < this.limit;
    truth.end();
    return accepted;
  }
}

trace.getTracer('tasks').startActiveSpan('create-task', (span) => {
  setTimeout(() => {
    void new TaskQueue(1e9).create(payload).then(() => {
      span.end();
    });
  }, 300);
});
