// What every instrumentation of OpenTelemetry costs: the API, the base class, and its wrapper of `require`.
import { InstrumentationBase } from '@opentelemetry/instrumentation';

class EmptyInstrumentation extends InstrumentationBase {
  init() {}
}

new EmptyInstrumentation('empty', '1.0.0', {});
