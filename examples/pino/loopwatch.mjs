import diagnostics_channel from 'node:diagnostics_channel';
import { EventLoopInstrumentation } from '@loopwatch/instrumentation-event-loop';
import pino from 'pino';

const logger = pino({ redact: { paths: ['stackTrace', 'profile'], remove: true } });
diagnostics_channel.subscribe('loopwatch:block', (block) => {
  logger.warn(block, 'event loop blocked');
});
diagnostics_channel.subscribe('loopwatch:hang', (hang) => {
  logger.error(hang, 'event loop hangs');
});
new EventLoopInstrumentation();
