/**
 * A container for dependency injection makes the whole object graph anew for each request, compiled from TypeScript.
 * @culprit resolve
 * @cause javascript
 * @parent request
 * @resource Timeout
 * @flags --enable-source-maps
 */
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

type Factory = (container: Container) => unknown;

class Container {
  readonly #factories = new Map<string, Factory>();

  bind(token: string, factory: Factory): void {
    this.#factories.set(token, factory);
  }

  // <culprit>
  resolve(token: string): unknown {
    const factory = this.#factories.get(token);
    if (factory === undefined) throw new Error(`Expected a binding of ${token}.`);
    return factory(this);
  }
  // </culprit>
}

const container = new Container();
container.bind('service-0', () => ({ name: 'leaf' }));
for (let level = 1; level < 14; level += 1) {
  container.bind(`service-${level}`, (from) => ({
    first: from.resolve(`service-${level - 1}`),
    second: from.resolve(`service-${level - 1}`),
  }));
}

trace.getTracer('http').startActiveSpan('request', (span) => {
  setTimeout(() => {
    truth.begin();
    const until = performance.now() + 400;
    while (performance.now() < until) container.resolve('service-13');
    truth.end();
    span.end();
  }, 300);
});
