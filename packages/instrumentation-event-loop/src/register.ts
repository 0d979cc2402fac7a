import { registerInstrumentation } from './registration/register-instrumentation.js';

/**
 * `node --import @loopwatch/instrumentation-event-loop/register app.js` starts the instrumentation without changes to
 * the application. It joins the application's SDK, or starts one that exports by OTLP. Environment variables configure
 * it.
 */
registerInstrumentation();
