import { EventLoopInstrumentation } from '@loopwatch/instrumentation-event-loop';
import { type Context, createContextKey } from '@opentelemetry/api';

import { currentRequest } from './current-request.js';

const REQUEST_NAME_KEY = createContextKey('loopwatch run: name of the request');

/** Adds the name of the request to the context of blocked code, for programs without an OpenTelemetry SDK. */
export class RequestAwareInstrumentation extends EventLoopInstrumentation {
  protected override activeContext(): Context {
    const active = super.activeContext();
    try {
      const request = currentRequest();
      return request ? contextWith(active, request.key, request.name) : active;
    } catch {
      return active;
    }
  }

  /** From the span that the program's own OpenTelemetry SDK has put into the context, else from Node's own objects. */
  override requestName(of: Context): string | undefined {
    return super.requestName(of) ?? (of.getValue(REQUEST_NAME_KEY) as string | undefined);
  }
}

interface NamedContext {
  readonly active: Context;
  readonly name: string;
  readonly context: Context;
}

const contexts = new WeakMap<object, NamedContext>();

/** The same object for all samples of a request: the instrumentation adds up the time spent in each context. */
function contextWith(active: Context, key: object, name: string): Context {
  const known = contexts.get(key);
  if (known?.active === active && known.name === name) return known.context;
  const context = active.setValue(REQUEST_NAME_KEY, name);
  contexts.set(key, { active, name, context });
  return context;
}
