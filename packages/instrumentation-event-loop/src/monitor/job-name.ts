import { nameInProfile } from '../blocks/profile.js';
import { kindOf, packageOf } from '../contract/frames.js';
import type { Frame } from '../contract/model.js';

/** What the packages run that call functions of the application as jobs. */
const JOBS: Readonly<Record<string, string>> = {
  agenda: 'Agenda job',
  'bee-queue': 'Bee-Queue job',
  bull: 'Bull job',
  bullmq: 'BullMQ job',
  cron: 'cron job',
  croner: 'cron job',
  'node-cron': 'cron job',
  'node-schedule': 'scheduled job',
  piscina: 'Piscina task',
  poolifier: 'Poolifier task',
  tinypool: 'Tinypool task',
  'toad-scheduler': 'scheduled job',
  workerpool: 'workerpool task',
};

const TIMERS = 'node:internal/timers';
/** Functions of the application that a package calls as listeners are no jobs. */
const EVENTS = 'node:events';
/** Promises continue between two timers: their functions are called by no timer. */
const MICROTASKS = 'node:internal/process/task_queues';

/**
 * Names the job or timer to which the code of a stack belongs, by the outermost function of the application: `BullMQ job
 * sendMail`, `timer refreshCache`. Undefined where something else has called that function: the stack is then that of a
 * request, or of code after an `await` in a function whose caller is not known.
 */
export function jobNameOf(frames: readonly Frame[]): string | undefined {
  /** What the frames so far call, and what they call by `await`. */
  let kindOfJob: string | undefined;
  let awaitedKind: string | undefined;
  for (let i = frames.length - 1; i >= 0; i--) {
    const frame = frames[i]!;
    const kind = kindOf(frame);
    if (kind === 'application') {
      return kindOfJob === undefined ? undefined : `${kindOfJob} ${nameOf(frame, frames[i + 1])}`;
    }
    if (kind === 'dependency') {
      const name = packageOf(frame.fileName);
      kindOfJob = Object.hasOwn(JOBS, name) ? JOBS[name] : undefined;
    } else if (kind === 'internal') {
      if (frame.fileName === TIMERS && frame.functionName === 'listOnTimeout') kindOfJob = 'timer';
      else if (frame.fileName === EVENTS) kindOfJob = undefined;
      else if (frame.fileName === MICROTASKS) kindOfJob = awaitedKind;
    }
    if (frame.isAsync) awaitedKind = kindOfJob;
  }
  return undefined;
}

/** The function's name without the type of the package's object on which the package has called it. */
function nameOf(frame: Frame, caller: Frame | undefined): string {
  const name = nameInProfile(frame);
  const type = name.slice(0, name.indexOf('.') + 1);
  return type !== '' && caller?.functionName.startsWith(type) ? name.slice(type.length) : name;
}
