/**
 * A TypeScript decorator wraps the slow method; the method is the culprit and not its wrapper.
 * @culprit nearest
 * @cause javascript
 * @parent assign-driver
 * @resource Timeout
 * @flags --enable-source-maps
 */
import { trace } from '@opentelemetry/api';
import truth = require('../kit/truth.cjs');

type Method = (...args: never[]) => unknown;

function traced(name: string) {
  return (_target: object, _key: string, descriptor: PropertyDescriptor): void => {
    const original = descriptor.value as Method;
    descriptor.value = function wrapped(this: unknown, ...args: never[]): unknown {
      return trace.getTracer('dispatch').startActiveSpan(name, (span) => {
        try {
          return original.apply(this, args);
        } finally {
          span.end();
        }
      });
    };
  };
}

class Dispatcher {
  private readonly drivers = Array.from({ length: 50_000 }, (_, id) => ({ id, x: Math.sin(id), y: Math.cos(id * 3) }));

  // <culprit>
  @traced('assign-driver')
  nearest(x: number, y: number): number {
    truth.begin();
    const until = performance.now() + 400;
    let best = this.drivers[0]!;
    while (performance.now() < until) {
      for (const driver of this.drivers) {
        if (Math.hypot(driver.x - x, driver.y - y) < Math.hypot(best.x - x, best.y - y)) best = driver;
      }
    }
    truth.end();
    return best.id;
  }
  // </culprit>
}

const dispatcher = new Dispatcher();
setTimeout(() => dispatcher.nearest(0.3, 0.4), 300);
