import { createHook, executionAsyncId } from 'node:async_hooks';
import process from 'node:process';
import { Set } from '../contract/built-ins.js';
import { attempt, guarded } from '../contract/guard.js';

/** Types of resources that do not keep the loop alive, or, as streams, only where `countActive` has them. */
const QUIET = new Set(['PROMISE', 'TickObject', 'Microtask', 'TTYWRAP', 'PIPEWRAP']);
/** Promises and ticks that are followed: where there are more, work may have started. */
const MAX_FOLLOWED = 1000;

const activeResources = process.getActiveResourcesInfo.bind(process);
type ListHandles = () => readonly unknown[];
const { _getActiveHandles: listHandles } = process as unknown as { readonly _getActiveHandles?: ListHandles };
const activeHandles = listHandles?.bind(process);

/**
 * Sees whether the code that runs from now on, and the ticks and promise jobs that it begins, starts work that keeps the
 * loop alive. To be created when the loop has run empty.
 */
export class StartedWork {
  /** What keeps the loop alive in name only. */
  readonly #idle = countActive();
  readonly #followed = new Set<number>([executionAsyncId()]);
  readonly #hook = createHook({
    init: guarded((asyncId: number, type: string) => {
      if (!this.#followed.has(executionAsyncId())) return;
      if (!QUIET.has(type) || this.#followed.size === MAX_FOLLOWED) this.#hasStarted = true;
      else this.#followed.add(asyncId);
    }),
  });
  #hasStarted = false;

  constructor() {
    this.#hook.enable();
  }

  /** To be called once, when that code has run. */
  end(): boolean {
    this.#hook.disable();
    return this.#hasStarted || attempt(() => countActive() <= this.#idle) !== true;
  }
}

/** What keeps the loop alive. The streams of the output do so in name only: code that writes a line may make one. */
function countActive(): number {
  const handles = activeHandles?.() ?? [];
  let count = activeResources().length;
  for (let i = 0; i < handles.length; i++) {
    const { fd, _isStdio: isStdio } = handles[i] as { readonly fd?: unknown; readonly _isStdio?: unknown };
    if (isStdio === true && (fd === 1 || fd === 2)) count--;
  }
  return count;
}
