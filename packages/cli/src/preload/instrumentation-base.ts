import type { MeterProvider, TracerProvider } from '@opentelemetry/api';
import type { Instrumentation, InstrumentationConfig } from '@opentelemetry/instrumentation';

/*
 * Stands in the preload's bundle in the place of `@opentelemetry/instrumentation` (`tsdown.config.ts`), which each process
 * and thread of the program would have to compile.
 */

/** Keeps what its constructor and `setConfig()` get. The instrumentation keeps its providers itself. */
abstract class InstrumentationAbstract<
  ConfigType extends InstrumentationConfig = InstrumentationConfig,
> implements Instrumentation<ConfigType> {
  readonly instrumentationName: string;
  readonly instrumentationVersion: string;
  // Declared without an initialiser: the constructor calls `setConfig()`.
  declare private config: ConfigType;

  constructor(instrumentationName: string, instrumentationVersion: string, config: ConfigType) {
    this.instrumentationName = instrumentationName;
    this.instrumentationVersion = instrumentationVersion;
    this.setConfig(config);
  }

  abstract enable(): void;
  abstract disable(): void;

  getConfig(): ConfigType {
    return this.config;
  }

  setConfig(config: ConfigType): void {
    this.config = { enabled: true, ...config };
  }

  setTracerProvider(_tracerProvider: TracerProvider): void {
    return undefined;
  }

  setMeterProvider(_meterProvider: MeterProvider): void {
    return undefined;
  }
}

/** The constructor of the original is not called (`contract/without-constructor.ts` of the instrumentation). */
export abstract class InstrumentationBase<
  ConfigType extends InstrumentationConfig = InstrumentationConfig,
> extends InstrumentationAbstract<ConfigType> {}
