import { expect, test } from '@jest/globals';

import type { Interval } from '../../../../src/contract/interval.ts';
import { Registry } from '../../../../src/contract/registry.ts';
import type { Answer } from '../../../../src/watchdog/ask/answer.ts';
import { PauseSession, type Trial } from '../../../../src/watchdog/ask/pause-session.ts';
import type { ChannelObserver, OnReply } from '../../../../src/watchdog/ask/thread-channel.ts';

/** A thread whose inspector the test plays. */
class FakeThread {
  readonly posted: string[] = [];
  readonly answers: Answer[] = [];
  readonly events: string[] = [];
  readonly session: PauseSession;
  isClosed = false;
  readonly enablings: Interval[] = [];
  readonly #replies = new Map<string, OnReply>();
  #observer: ChannelObserver | undefined;

  constructor() {
    this.session = new PauseSession({
      registry: new Registry(),
      threadId: 0,
      onEnabled: (enabling) => this.enablings.push(enabling),
      onClose: () => this.events.push('closed'),
      open: (_registry, _threadId, observer) => {
        this.#observer = observer;
        observer.onOpen({
          post: (method, _params, onReply) => {
            this.posted.push(method);
            this.#replies.set(method, onReply);
          },
          close: () => {
            this.isClosed = true;
          },
        });
      },
    });
  }

  ask(onTrial?: (trial: Trial) => void): void {
    this.session.ask({
      expression: 'probe()',
      observer: {
        onSent: () => this.events.push('sent'),
        onReached: () => this.events.push('reached'),
        onAnswer: (answer) => this.answers.push(answer),
      },
      ...(onTrial && { onTrial }),
    });
  }

  reply(method: string, result: unknown, error: Error | null = null): void {
    this.#replies.get(method)!(error, result);
  }

  enable(): void {
    this.reply('Runtime.getIsolateId', { id: '1' });
    this.reply('Debugger.enable', {});
    this.reply('Debugger.setBreakpointsActive', {});
  }

  stop(): void {
    this.#observer!.onPaused();
  }

  end(): void {
    this.#observer!.onClose();
  }
}

const answerOf = (value: unknown): unknown => ({ result: { value } });

test('stops at no breakpoint, and sends the order to go on with the question', () => {
  const thread = new FakeThread();
  thread.ask();
  expect(thread.posted).toEqual([
    'Runtime.getIsolateId',
    'Debugger.enable',
    'Debugger.setBreakpointsActive',
    'Debugger.pause',
  ]);
  thread.enable();
  thread.stop();
  expect(thread.posted.slice(4)).toEqual(['Runtime.evaluate', 'Debugger.resume']);
  thread.reply('Runtime.evaluate', answerOf(1));
  thread.reply('Debugger.resume', {});
  expect(thread.answers).toEqual([1]);
  expect(thread.events).toEqual(['sent', 'reached']);
  expect(thread.enablings).toHaveLength(1);
});

test('learns of each question when the thread reaches it, also where that refuses the message that shows it', () => {
  const thread = new FakeThread();
  thread.ask();
  thread.enable();
  thread.stop();
  thread.reply('Debugger.resume', {});
  thread.ask();
  expect(thread.posted.slice(-2)).toEqual(['Runtime.getIsolateId', 'Debugger.pause']);
  thread.reply('Runtime.getIsolateId', undefined, new Error('not found'));
  expect(thread.events).toEqual(['sent', 'reached', 'sent', 'reached']);
  expect(thread.enablings).toHaveLength(1);
});

test.each([
  ['that it has not asked for', false],
  ['in which it was enabled, although it asks', true],
])('lets go of a pause %s, and does not end it for another debugger', (_, asks) => {
  const thread = new FakeThread();
  if (asks) thread.ask();
  else thread.enable();
  thread.stop();
  expect(thread.isClosed).toBe(true);
  expect(thread.posted).not.toContain('Debugger.resume');
});

test('lets the thread go on where its question fails', () => {
  const thread = new FakeThread();
  thread.ask();
  thread.enable();
  thread.stop();
  thread.reply('Runtime.evaluate', undefined, new Error('x'));
  thread.reply('Debugger.resume', {});
  expect(thread.answers).toEqual([undefined]);
});

test('lets the thread go on where what is told of the stop throws', () => {
  const thread = new FakeThread();
  thread.ask(() => {
    throw new Error('x');
  });
  thread.enable();
  expect(() => {
    thread.stop();
  }).toThrow('x');
  expect(thread.posted).toContain('Debugger.resume');
});

test.each([
  ['has no answer to an evaluation before it', 'pauseNeeded', undefined],
  ['has an error as the answer to it', 'pauseNeeded', new Error('forbidden')],
  ['has an answer to it', 'interruptAnswers', null],
] as const)('a pause that %s: %s', (_, expected, error) => {
  const thread = new FakeThread();
  const trials: Trial[] = [];
  thread.ask((trial) => trials.push(trial));
  expect(thread.posted.slice(3)).toEqual(['Runtime.evaluate', 'Debugger.pause']);
  thread.enable();
  if (error !== undefined) thread.reply('Runtime.evaluate', answerOf(0), error);
  thread.stop();
  expect(trials).toEqual([expected]);
});

test('a question is answered with nothing when the session ends, and so is each later one', () => {
  const thread = new FakeThread();
  thread.ask();
  thread.end();
  thread.ask();
  expect(thread.answers).toEqual([undefined, undefined]);
  expect(thread.events).toEqual(['sent', 'closed']);
});

test('takes one question at a time', () => {
  const thread = new FakeThread();
  thread.ask();
  thread.ask();
  expect(thread.answers).toEqual([undefined]);
  expect(thread.posted.filter((method) => method === 'Debugger.pause')).toHaveLength(1);
});
