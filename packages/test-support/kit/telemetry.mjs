import * as api from '@opentelemetry/api';
import * as http from '@opentelemetry/instrumentation-http';
import * as loopwatch from '@loopwatch/instrumentation-event-loop';
import * as sdkMetrics from '@opentelemetry/sdk-metrics';
import * as sdkNode from '@opentelemetry/sdk-node';
import * as sdkTrace from '@opentelemetry/sdk-trace';

import core from './start-telemetry.cjs';

const modules = { api, http, loopwatch, sdkMetrics, sdkNode, sdkTrace };

export const startTelemetry = (options) => core.startTelemetry(modules, options);
export const { optionsOfRun } = core;
export { api, loopwatch, sdkMetrics, sdkNode, sdkTrace };
