// node packages/e2e/src/injection-cost/main.ts [--pairs N] [--write]
//
// What the injection of docs/kubernetes-injection.md adds to a small application, in memory, start and CPU time: pairs of
// runs with and without it, by turns. `--write` renews the table of that page.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { nodeBinary } from '@loopwatch/node-binaries';

import { rootDirectory } from '../../../../scripts/lib/paths.mjs';
import { buildInjectionImage, InjectedVolume } from '../../../../scripts/test/support/injection.ts';
import { OtlpReceiver } from '../../../../scripts/test/support/otlp-receiver.ts';
import { withCosts, type Pair } from './document.ts';
import { measureInjection } from './measure.ts';

const majors = [20, 22, 24, 26] as const;
const application = path.join(rootDirectory, 'scripts/test/fixtures/injection/app.cjs');
const page = path.join(rootDirectory, 'docs/kubernetes-injection.md');
const pod = { NAMESPACE: 'shop', POD: 'app-5d9c7b-x2x9p', POD_UID: '5b3f', NODE: 'node1', SERVICE: 'app' };

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { pairs: { type: 'string', default: '7' }, write: { type: 'boolean', default: false } },
  });
  const count = Number(values.pairs);
  if (!Number.isInteger(count) || count < 1)
    throw new Error(`Expected a positive integer for --pairs, got ${values.pairs}.`);
  const scratch = mkdtempSync(path.join(os.tmpdir(), 'loopwatch-injection-'));
  const receiver = await OtlpReceiver.start();
  const results = new Map<number, Pair[]>();
  try {
    const volume = await InjectedVolume.fill(await buildInjectionImage(scratch), path.join(scratch, 'volume'));
    // It exports before it ends.
    const plain = { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', OTEL_BSP_SCHEDULE_DELAY: '1000' };
    const injected = { ...plain, ...volume.variables(pod, receiver.variables['OTEL_EXPORTER_OTLP_ENDPOINT']!) };
    for (let pair = 1; pair <= count; pair++) {
      for (const major of majors) {
        const node = nodeBinary(major);
        const result = {
          plain: await measureInjection(node, application, plain),
          injected: await measureInjection(node, application, injected),
        };
        console.error(`pair ${pair}, Node.js ${major}: ${JSON.stringify(result)}`);
        results.set(major, [...(results.get(major) ?? []), result]);
      }
    }
    if (receiver.spans.length === 0) throw new Error('Expected spans of the injected processes, got none.');
  } finally {
    receiver.close();
    rmSync(scratch, { recursive: true, force: true });
  }
  const text = await withCosts(readFileSync(page, 'utf8'), page, results);
  if (values.write) writeFileSync(page, text);
  else console.log(text);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
