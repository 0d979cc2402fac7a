import { createRequire } from 'node:module';
import { resolveFromApplication } from '../application-package.js';
import { SCOPE_NAME } from '../semconv.js';
import { exporterVariables, type ExportersModel } from './exporter-variables.js';

/** What OpenTelemetry's configuration file says about this instrumentation. */
export interface DeclarativeConfig {
  /** The file switches the whole SDK off. */
  readonly isSdkDisabled: boolean;
  /** The node of this instrumentation as it stands in the file, with its keys in snake_case. */
  readonly node: Readonly<Record<string, unknown>>;
  /** The variables that say where the SDK of the file sends to. */
  readonly exporterVariables: Readonly<Record<string, string>>;
}

/** A part of the model that the parser of the SDK makes of the file. */
interface ConfigurationModel extends ExportersModel {
  readonly disabled?: unknown;
  readonly 'instrumentation/development'?: { readonly js?: Readonly<Record<string, unknown>> };
}

/** `@opentelemetry/configuration`: the first function in SDK 3.x, the second in SDK 2.x. */
interface ConfigurationModule {
  readonly parseConfigFile?: (file: string) => ConfigurationModel;
  readonly createConfigFactory?: () => { getConfigModel(): ConfigurationModel };
}

const NOTHING: DeclarativeConfig = { isSdkDisabled: false, node: {}, exporterVariables: {} };

/**
 * Reads the file in `OTEL_CONFIG_FILE` by the parser of the application's SDK, which also replaces variables in it. The
 * SDK hands `instrumentation/development` to no instrumentation yet (open-telemetry/opentelemetry-js#6868), so each of
 * them has to read it. The key is the name of the package, as proposed there.
 */
export function readDeclarativeConfig(
  env: Readonly<Record<string, string | undefined>>,
  warn: (message: string) => void,
): DeclarativeConfig {
  const file = env['OTEL_CONFIG_FILE']?.trim();
  if (!file) return NOTHING;
  try {
    const configuration = configurationModule();
    if (!configuration) {
      warn(
        'OTEL_CONFIG_FILE is not used by this instrumentation: @opentelemetry/sdk-node, which reads it, is not found.',
      );
      return NOTHING;
    }
    const { parseConfigFile, createConfigFactory } = configuration;
    const model = parseConfigFile ? parseConfigFile(file) : createConfigFactory?.().getConfigModel();
    const node = model?.['instrumentation/development']?.js?.[SCOPE_NAME];
    return {
      isSdkDisabled: model?.disabled === true,
      node: isRecord(node) ? node : {},
      exporterVariables: model ? exporterVariables(model) : {},
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    warn(`OTEL_CONFIG_FILE is not used by this instrumentation: ${reason}`);
    return NOTHING;
  }
}

/** `blockedThresholdMs` for `blocked_threshold_ms`. */
export function camelCase(key: string): string {
  return key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** `blocked_threshold_ms` for `blockedThresholdMs`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function configurationModule(): ConfigurationModule | undefined {
  const sdk = resolveFromApplication('@opentelemetry/sdk-node');
  return sdk === undefined ? undefined : (createRequire(sdk)('@opentelemetry/configuration') as ConfigurationModule);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
