import {
  type DumpFrame,
  isOfNode,
  isShortOfCpu,
  type ProcessDump,
  type ThreadDump,
} from '../../model/processes/dump.js';
import { dumpSentence } from '../../model/processes/dump-sentence.js';
import { formatMs, formatShare } from '../../model/text/format.js';
import { formatPlace } from '../../model/text/place.js';
import type { LineStyle } from './block-line.js';
import { renderLine, type Segment, wrapText } from './line.js';

/** Frames of a stack that are printed. `--json` has all. */
const MAX_FRAMES = 20;

/** The lines of a dump: its threads, and the sentence about the one that is blocked. */
export function dumpLines(dump: ProcessDump, { colors, columns, directory }: LineStyle): string[] {
  const line = (...segments: Segment[]): string => renderLine(segments, columns);
  const { pid, command, nodeVersion, ageMs, cpuMs } = dump;
  const sentence = dumpSentence(dump, directory);
  const version = nodeVersion === undefined ? '' : `Node.js ${nodeVersion}, `;
  return [
    line({ text: `Process ${pid}`, style: colors.bold }, { text: `  ${command}` }),
    line({ text: `${version}runs for ${formatMs(ageMs)}, CPU ${formatMs(cpuMs)}`, style: colors.dim }),
    ...dump.threads.flatMap((thread) => ['', ...threadLines(thread)]),
    ...(dump.notes.length > 0
      ? ['', ...dump.notes.flatMap((note) => wrapText(`Note: ${note}`, undefined, columns))]
      : []),
    ...(sentence === undefined ? [] : ['', ...wrapText(sentence, undefined, columns)]),
  ];

  function threadLines(thread: ThreadDump): string[] {
    const name = thread.threadId === 0 ? 'main thread' : `worker ${thread.threadId} ${thread.threadName}`;
    const style = thread.state === 'idle' ? colors.dim : thread.state === 'running' ? colors.red : colors.yellow;
    const hidden = thread.stack.length - MAX_FRAMES;
    return [
      line({ text: `${name}: `, style: colors.bold }, { text: stateText(thread), style }),
      ...(thread.request ? [line({ text: `    in ${requestText(thread)}` })] : []),
      ...(thread.timerCallback === undefined ? [] : [line({ text: `    ${callbackText(thread.timerCallback)}` })]),
      ...thread.stack.slice(0, MAX_FRAMES).map((frame) => frameLine(frame)),
      ...(hidden > 0 ? [line({ text: `    … ${hidden} more, in --json`, style: colors.dim })] : []),
    ];
  }

  function frameLine(frame: DumpFrame): string {
    const isInternal = isOfNode(frame);
    const prefix = frame.isAsync ? 'async ' : '';
    const place = frame.filePath === '' ? '' : ` (${formatPlace(frame, directory)})`;
    return line({
      text: `    at ${prefix}${frame.functionName || '<anonymous>'}${place}`,
      ...(isInternal && { style: colors.dim }),
    });
  }
}

function stateText(thread: ThreadDump): string {
  const { state, stack, atLeastMs, atMostMs, cpuShare, mayBePaused } = thread;
  const cpu = cpuShare === undefined ? '' : `, CPU ${formatShare(cpuShare)}`;
  if (state === 'idle') return `idle, waits for events${cpu}`;
  if (state === 'no_answer') {
    return `inside a call that V8 cannot interrupt${isShortOfCpu(thread) ? ', or short of CPU' : ''}${cpu}`;
  }
  const since = atLeastMs > 0 ? [`for at least ${formatMs(atLeastMs)}`] : [];
  const until = atMostMs === undefined ? [] : [`for at most ${formatMs(atMostMs)}`];
  const known = (until.length > 0 ? until : since).join('');
  const what = state === 'waiting' ? 'sleeps in Atomics.wait' : runsText(stack);
  const pause = mayBePaused ? ', or a debugger has paused it,' : '';
  return `${what}${pause}${known && ` ${known}`}${cpu}`;
}

function runsText(stack: readonly DumpFrame[]): string {
  if (stack.length === 0) return 'busy between callbacks';
  // What the thread did before may have left the stack.
  return stack.every(isOfNode) ? 'runs code of Node.js alone' : 'runs';
}

function callbackText(name: string): string {
  return `≈ a guess: after ${name}, the callback of a timer, or before it`;
}

function requestText({ request }: ThreadDump): string {
  if (!request) return '';
  const age = request.ageMs === undefined ? '' : `, which began ${formatMs(request.ageMs)} ago`;
  const trace = request.traceId === undefined ? '' : ` (trace ${request.traceId})`;
  return `${request.name}${age}${trace}`;
}
