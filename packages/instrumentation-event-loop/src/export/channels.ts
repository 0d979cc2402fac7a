import { channel } from 'node:diagnostics_channel';

export const blockChannel = channel('loopwatch:block');
export const hangChannel = channel('loopwatch:hang');
/** Publishes a `BusyMessage` a second for each thread that was busy. */
export const busyChannel = channel('loopwatch:busy');
export const threadPoolChannel = channel('loopwatch:thread-pool');

/** Whether a part of this thread subscribes to blocks or hangs. */
export function hasSubscribers(): boolean {
  return blockChannel.hasSubscribers || hangChannel.hasSubscribers;
}

/** Whether a part of this thread subscribes to hangs. */
export function wantsHangs(): boolean {
  return hangChannel.hasSubscribers;
}
