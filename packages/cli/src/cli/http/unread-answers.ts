import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How long a client may take to read an answer. */
const READ_TIMEOUT_MS = 60_000;

interface UnreadAnswer {
  readonly bytes: number;
  readonly timer: NodeJS.Timeout;
}

/** The answers that clients have not yet read, by connection: an answer behind another one never knows of its end. */
const unread = new Map<Socket, Set<UnreadAnswer>>();
let unreadBytes = 0;

export function totalUnreadBytes(): number {
  return unreadBytes;
}

/** Counts the answer until it has been read; who reads too slowly loses the connection. False: the client has gone. */
export function countUntilRead(response: ServerResponse, bytes: number): boolean {
  const { socket } = response.req;
  if (socket.destroyed || response.destroyed) return false;
  const answers = answersOf(socket);
  const timer = setTimeout(() => socket.destroy(), READ_TIMEOUT_MS).unref();
  const answer = { bytes, timer };
  answers.add(answer);
  unreadBytes += bytes;
  response.once('close', () => {
    settle(answers, answer);
  });
  return true;
}

function answersOf(socket: Socket): Set<UnreadAnswer> {
  const known = unread.get(socket);
  if (known) return known;
  const answers = new Set<UnreadAnswer>();
  unread.set(socket, answers);
  socket.once('close', () => {
    unread.delete(socket);
    for (const answer of answers) settle(answers, answer);
  });
  return answers;
}

function settle(answers: Set<UnreadAnswer>, answer: UnreadAnswer): void {
  if (!answers.delete(answer)) return;
  clearTimeout(answer.timer);
  unreadBytes -= answer.bytes;
}
