import { EventLoopInstrumentation, type EventLoopInstrumentationConfig } from '@loopwatch/instrumentation-event-loop';
import { type Context, createContextKey } from '@opentelemetry/api';

import { WeakMap } from '../built-ins.js';
import { currentRequest, type CurrentRequest } from './current-request.js';
import { openRequestNames } from './open-requests.js';

const REQUEST_KEY = createContextKey('loopwatch run: request');

/** Adds the request to the context of blocked code, for programs without an OpenTelemetry SDK. */
export class RequestAwareInstrumentation extends EventLoopInstrumentation {
  /** Private names exist only when the base class has been constructed: it must not enable itself. */
  readonly #isWatchedToEnd: boolean;
  readonly #onProblem: (problem: string) => void;

  constructor(
    { isWatchedToEnd, onProblem }: { readonly isWatchedToEnd: boolean; readonly onProblem: (problem: string) => void },
    config: EventLoopInstrumentationConfig & { readonly enabled: false },
  ) {
    super(config);
    this.#isWatchedToEnd = isWatchedToEnd;
    this.#onProblem = onProblem;
  }

  /** What hangs there must be seen to be ended. */
  protected override isWatchedToEnd(): boolean {
    return this.#isWatchedToEnd;
  }

  /** Said at the end of the run: nothing may appear in the program's own output. */
  protected override reportProblem(problem: string): void {
    this.#onProblem(problem);
  }

  protected override activeContext(isBlocked: boolean): Context {
    const active = super.activeContext(isBlocked);
    try {
      const request = currentRequest(isBlocked);
      return request ? contextWith(active, request) : active;
    } catch {
      return active;
    }
  }

  /**
   * From the span that the program's own OpenTelemetry SDK has put into the context, else from Node's own objects. They have
   * the route, too, where the SDK has no instrumentation of the framework: then its span has the path of the request.
   */
  override requestName(of: Context): string | undefined {
    const ofSpan = super.requestName(of);
    const request = requestOf(of);
    return ofSpan === undefined || ofSpan === request?.nameByPath ? request?.name : ofSpan;
  }

  /** From the spans of the program's own OpenTelemetry SDK, else from Node's own objects. */
  protected override openRequestNames(): readonly string[] {
    const names = super.openRequestNames();
    return names.length > 0 ? names : openRequestNames();
  }

  /** Several requests may run in one loop iteration: the block is one of that which took longest. */
  protected override requestKey(of: Context): unknown {
    return requestOf(of)?.key;
  }
}

function requestOf(context: Context): CurrentRequest | undefined {
  return context.getValue(REQUEST_KEY) as CurrentRequest | undefined;
}

interface RequestContext {
  readonly active: Context;
  readonly context: Context;
}

const contexts = new WeakMap<object, RequestContext>();

/** The same object for all samples of a request, until a router has given it another name. */
function contextWith(active: Context, request: CurrentRequest): Context {
  const known = contexts.get(request.key);
  if (known?.active === active && requestOf(known.context)?.name === request.name) return known.context;
  const context = active.setValue(REQUEST_KEY, request);
  contexts.set(request.key, { active, context });
  return context;
}
