import type { MeterProvider, TracerProvider } from '@opentelemetry/api';
import type { Instrumentation, InstrumentationConfig } from '@opentelemetry/instrumentation';

/**
 * Stands in the preload's bundle in the place of `@opentelemetry/instrumentation` (`tsdown.config.ts`). The original
 * class patches `require` of the whole program as soon as one instrumentation exists, also one that patches no module. Each
 * `require` of the program would take longer, and would show the patch on its stack.
 */
export abstract class InstrumentationBase<
  ConfigType extends InstrumentationConfig = InstrumentationConfig,
> implements Instrumentation<ConfigType> {
  readonly instrumentationName: string;
  readonly instrumentationVersion: string;
  // Declared without initialisers: the constructor calls methods of the subclass that set the configuration.
  declare private config: ConfigType;
  declare private enabled: boolean | undefined;

  constructor(instrumentationName: string, instrumentationVersion: string, config: ConfigType) {
    this.instrumentationName = instrumentationName;
    this.instrumentationVersion = instrumentationVersion;
    this.setConfig(config);
    this.init();
    if (this.config.enabled === true) this.enable();
  }

  /** The modules to patch. */
  protected abstract init(): unknown;

  getConfig(): ConfigType {
    return this.config;
  }

  setConfig(config: ConfigType): void {
    this.config = { enabled: true, ...config };
  }

  enable(): void {
    this.enabled = true;
  }

  disable(): void {
    this.enabled = false;
  }

  isEnabled(): boolean {
    return this.enabled === true;
  }

  setTracerProvider(_tracerProvider: TracerProvider): void {
    // The instrumentation keeps its providers itself.
  }

  setMeterProvider(_meterProvider: MeterProvider): void {
    // The instrumentation keeps its providers itself.
  }
}
