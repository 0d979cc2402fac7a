import process from 'node:process';

import type { ProcessDump, ThreadDump } from '../../model/processes/dump.js';
import { dumpSentence } from '../../model/processes/dump-sentence.js';
import { formatPlace } from '../../model/text/place.js';
import { dataText, fits, MAX_SENTENCE } from './data-text.js';

const MAX_FRAMES = 20;

export interface DumpFacts {
  readonly [field: string]: unknown;
  readonly sentence?: string;
}

/** A dump, as much of it as fits: the main thread and those that are blocked come first. */
export function describeDump(dump: ProcessDump): DumpFacts {
  const sentence = dumpSentence(dump, process.cwd());
  const order = [...dump.threads].sort((a, b) => rankOf(a) - rankOf(b));
  for (let frames = MAX_FRAMES, threads = order.length; ;) {
    const isCut = threads < order.length || order.some(({ stack }) => stack.length > frames);
    const facts = {
      pid: dump.pid,
      command: dataText(dump.command),
      ...(sentence !== undefined && { sentence: dataText(sentence, MAX_SENTENCE) }),
      threads: order.slice(0, threads).map((thread) => describeThread(thread, frames)),
      notes: dump.notes.slice(0, 5).map((note) => dataText(note, 300)),
      ...(isCut && { isCut }),
    };
    if (fits(facts) || (threads <= 1 && frames <= 1)) return facts;
    if (frames > 5 || threads <= 1) frames -= 1;
    else threads -= 1;
  }
}

function rankOf({ threadId, state }: ThreadDump): number {
  if (threadId === 0) return 0;
  return state === 'idle' ? 2 : 1;
}

function describeThread(
  { threadId, threadName, state, atLeastMs, request, stack }: ThreadDump,
  frames: number,
): object {
  return {
    thread: threadId === 0 ? 'main thread' : dataText(`worker ${threadId} ${threadName}`),
    state,
    atLeastMs: Math.round(atLeastMs),
    ...(request && { request: dataText(request.name) }),
    stack: stack.slice(0, frames).map((frame) => {
      const place = frame.filePath === '' ? '' : ` (${formatPlace(frame, process.cwd())})`;
      return dataText(`${frame.isAsync ? 'async ' : ''}${frame.functionName || '<anonymous>'}${place}`);
    }),
  };
}
