import { createRequire } from 'node:module';
import process from 'node:process';

/**
 * The file of a CommonJS module with an SDK for applications that have none of their own, as injection into a pod
 * provides it: it exports `NodeSDK`, and `startNodeSDK` for `OTEL_CONFIG_FILE`.
 */
const ENV_SDK_MODULE = 'LOOPWATCH_SDK_MODULE';

export function isSdkInjected(): boolean {
  return Boolean(process.env[ENV_SDK_MODULE]);
}

/** Loads the injected module. Throws if the variable is not set, the module is missing, or its code throws. */
export function requireInjectedSdk(): unknown {
  const file = process.env[ENV_SDK_MODULE] ?? '';
  return createRequire(file)(file);
}
