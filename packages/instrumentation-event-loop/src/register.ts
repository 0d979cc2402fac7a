import { registerInstrumentation } from './registration/register-instrumentation.js';

/**
 * `node --import @loopwatch/instrumentation-event-loop/register app.js`: the instrumentation without a line of code. It
 * joins the application's SDK, or starts one that exports by OTLP. Configured by the environment alone.
 */
registerInstrumentation();
