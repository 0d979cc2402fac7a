import { register } from 'node:module';
import { trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { AwsLambdaInstrumentation } from '@opentelemetry/instrumentation-aws-lambda';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { BatchSpanProcessor } from '@opentelemetry/sdk-trace';
import { EventLoopInstrumentation, EventLoopSpanProcessor } from '@loopwatch/instrumentation-event-loop';

// Lambda imports the handler: this lets OpenTelemetry wrap what is imported.
register('@opentelemetry/instrumentation/hook.mjs', import.meta.url);
const lambda = new AwsLambdaInstrumentation();
new NodeSDK({
  // Lambda freezes the process after an invocation. The flush before that asks this processor for the block first.
  spanProcessors: [new EventLoopSpanProcessor(), new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
  instrumentations: [new EventLoopInstrumentation(), lambda],
}).start();
// It flushes the provider that it was given, and the SDK gives it one too early.
lambda.setTracerProvider(trace.getTracerProvider());
