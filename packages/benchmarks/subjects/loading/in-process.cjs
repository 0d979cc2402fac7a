// Prints the CPU of loading and registering Loopwatch, in µs, where an SDK and another instrumentation are loaded.
const { writeSync } = require('node:fs');

require('@opentelemetry/sdk-node');
require('@opentelemetry/api');
const { InstrumentationBase, registerInstrumentations } = require('@opentelemetry/instrumentation');

class EmptyInstrumentation extends InstrumentationBase {
  init() {}
}

registerInstrumentations({ instrumentations: [new EmptyInstrumentation('empty', '1.0.0', {})] });
const before = usage();
const { EventLoopInstrumentation } = require('@loopwatch/instrumentation-event-loop');
registerInstrumentations({ instrumentations: [new EventLoopInstrumentation()] });
const after = usage();
const thread = after.thread === undefined ? undefined : after.thread - before.thread;
writeSync(1, JSON.stringify({ process: after.process - before.process, thread }));
process.exit();

function usage() {
  return { process: sum(process.cpuUsage()), thread: process.threadCpuUsage && sum(process.threadCpuUsage()) };
}

function sum({ user, system }) {
  return user + system;
}
