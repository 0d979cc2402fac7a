import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { ensureBuilt } from '../../../../scripts/stack/build.mjs';
import { parts } from '../../../../scripts/stack/parts.mjs';
import { runCommand } from '../commands.ts';
import type { TestStack } from '../test-stack.ts';

const RECORD = 'version:event_loop_first_seen:timestamp';
const INTERVAL_SECONDS = 30;
const MINUTE_SECONDS = 60;

/**
 * Gives Prometheus what its rule would have recorded, had it watched a version for these hours until a minute ago.
 * Prometheus restarts, because it reads blocks of samples when it starts.
 */
export async function backfillVersion(
  stack: TestStack,
  version: { readonly service: string; readonly version: string; readonly hours: number },
): Promise<void> {
  const binaries = await ensureBuilt(parts, (line) => void process.stderr.write(`${line}\n`));
  await stack.stopProgram('prometheus');
  const samples = path.join(stack.prometheusDirectory, '..', 'version-history.txt');
  writeFileSync(samples, historyOf(version));
  const commandLine = ['tsdb', 'create-blocks-from', 'openmetrics', samples, stack.prometheusDirectory];
  const { exitCode, output } = runCommand(binaries['promtool']!, commandLine);
  if (exitCode !== 0) throw new Error(`Expected promtool to write blocks, but it ended with ${exitCode}: ${output}`);
  await stack.startProgram('prometheus');
}

function historyOf({ service, version, hours }: Parameters<typeof backfillVersion>[1]): string {
  const series = `${RECORD}{service_name="${service}",service_version="${version}"}`;
  const nowSeconds = Math.floor(Date.now() / 1000);
  const firstSeen = nowSeconds - hours * 60 * MINUTE_SECONDS;
  const lines: string[] = [];
  for (let at = firstSeen; at <= nowSeconds - MINUTE_SECONDS; at += INTERVAL_SECONDS)
    lines.push(`${series} ${firstSeen} ${at}`);
  return [`# TYPE ${RECORD} gauge`, ...lines, '# EOF', ''].join('\n');
}
