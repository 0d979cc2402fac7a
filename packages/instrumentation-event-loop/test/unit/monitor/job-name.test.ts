import { expect, test } from '@jest/globals';

import type { Frame } from '../../../src/contract/model.ts';
import { jobNameOf } from '../../../src/monitor/job-name.ts';

/** `name file`, with `async` before it for a caller that waits. */
function frame(text: string): Frame {
  const words = text.split(' ');
  const isAsync = words[0] === 'async';
  const [functionName = '', fileName = ''] = words.slice(isAsync ? 1 : 0);
  return {
    functionName,
    fileName,
    lineNumber: 5,
    columnNumber: 9,
    functionLineNumber: 3,
    functionColumnNumber: 1,
    isAsync,
  };
}

const modules = '/srv/app/node_modules';
const timers = ['listOnTimeout node:internal/timers', 'processTimers node:internal/timers'];
const microtasks = 'processTicksAndRejections node:internal/process/task_queues';
const bull = `${modules}/bullmq/dist/cjs/classes/worker.js`;

test.each([
  [
    'a BullMQ job',
    ['burn /srv/app/mail.js', 'Worker.sendMail /srv/app/mail.js', `Worker.callProcessJob ${bull}`],
    'BullMQ job sendMail',
  ],
  [
    'a BullMQ job after its first await',
    ['burn /srv/app/mail.js', 'Mailer.send /srv/app/mail.js', microtasks, `async Worker.processJob ${bull}`],
    'BullMQ job Mailer.send',
  ],
  [
    'a BullMQ job that a timer has continued',
    ['sendMail /srv/app/mail.js', microtasks, ...timers, `async Worker.processJob ${bull}`],
    'BullMQ job sendMail',
  ],
  ['a job without a name', [' /srv/app/mail.js', `Worker.callProcessJob ${bull}`], 'BullMQ job <anonymous mail.js:3>'],
  [
    'a cron job',
    ['nightly /srv/app/cron.js', `CronJob.fireOnTick ${modules}/cron/dist/job.js`, ...timers],
    'cron job nightly',
  ],
  [
    'a task of Piscina',
    ['resize /srv/app/worker.js', ` ${modules}/piscina/dist/worker.js`, 'emit node:events'],
    'Piscina task resize',
  ],
  ['a timer', ['parse /srv/app/cache.js', 'refreshCache /srv/app/cache.js', ...timers], 'timer refreshCache'],
])('names %s', (_what, stack, name) => {
  expect(jobNameOf(stack.map(frame))).toBe(name);
});

test.each([
  ['a request', ['handle /srv/app/server.js', 'emit node:events', 'parserOnIncoming node:_http_server']],
  ['code after an await', ['refresh /srv/app/cache.js', microtasks]],
  ['code after an await that a timer has ended', ['refresh /srv/app/cache.js', microtasks, ...timers]],
  [
    'a listener of a queue',
    ['onCompleted /srv/app/mail.js', 'emit node:events', `Worker.emit ${bull}`, `async Worker.processJob ${bull}`],
  ],
  [
    'a function that another package calls later',
    ['save /srv/app/a.js', `invoke ${modules}/lodash/debounce.js`, ...timers],
  ],
  ['the work of a package alone', [`Worker.moveToActive ${bull}`, microtasks]],
  ['an empty stack', []],
])('names no job for %s', (_what, stack) => {
  expect(jobNameOf(stack.map(frame))).toBeUndefined();
});
