import type { AttachMessage } from '../../../channel/contract.js';

/** A longer line is no message of the agent, characters. */
const MAX_LINE = 64 * 1024;
const MAX_PROBLEM = 500;
const MAX_COUNT = 1e6;

/** Takes the text that a process sends, and calls back with each message in it. What is no message is left out. */
export function attachMessages(onMessage: (message: AttachMessage) => void): (text: string) => void {
  let unfinished = '';
  return (text) => {
    const lines = (unfinished + text).split('\n');
    unfinished = lines.pop() ?? '';
    // With its rest, this is no JSON.
    if (unfinished.length > MAX_LINE) unfinished = '…';
    for (const line of lines) {
      const message = line.length > MAX_LINE ? undefined : parseMessage(line);
      if (message) onMessage(message);
    }
  };
}

function parseMessage(line: string): AttachMessage | undefined {
  const { type, workers, pending, threadId, problem, code } = parseObject(line);
  switch (type) {
    case 'ready':
      return isCount(workers) && isCount(pending) ? { type, workers, pending } : undefined;
    case 'workerProblem':
      return isCount(threadId) && typeof problem === 'string'
        ? { type, threadId, problem: problem.slice(0, MAX_PROBLEM) }
        : undefined;
    case 'exit':
      return Number.isInteger(code) ? { type, code: code as number } : undefined;
    default:
      return undefined;
  }
}

function parseObject(line: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_COUNT;
}
