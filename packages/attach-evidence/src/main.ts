// pnpm --filter @loopwatch/attach-evidence evidence [options]
//
// parts/ holds what is measured, process/ starts and observes processes, report/ writes the results and
// docs/evidence/attach.md. settings.ts has the sizes; the long tests use them too.
import { writeFileSync } from 'node:fs';

import { workspaceNodeMajor } from '@loopwatch/node-binaries';
import type { NodeMajor } from '@loopwatch/node-binaries';

import { help, parseOptions } from './options.ts';
import type { EvidenceOptions } from './options.ts';
import { compare } from './parts/compare/measure-compare.ts';
import type { Comparison } from './parts/compare/measure-compare.ts';
import { comparedPrograms } from './parts/compare/programs.ts';
import { measureHangs } from './parts/hangs/measure-hangs.ts';
import { measureCost } from './parts/liveness/measure-cost.ts';
import { measureLatency } from './parts/liveness/measure-latency.ts';
import type { Part } from './parts/part.ts';
import { measureStress } from './parts/stress/measure-stress.ts';
import { measureThroughput } from './parts/throughput/measure-throughput.ts';
import { documentFile } from './paths.ts';
import { evidenceDocument } from './report/document.ts';
import { writeResult } from './report/results.ts';
import { BLOCKED_SECONDS, cost, stress, throughput } from './settings.ts';
import { seededRandom } from './statistics.ts';

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  if (options === 'help') {
    console.log(help);
    return;
  }
  for (const part of options.parts) {
    const majors = part === 'compare' ? [workspaceNodeMajor] : options.nodeMajors;
    for (const major of majors) {
      const result = await measure(part, major, options);
      console.log(JSON.stringify({ part, major, result }));
      if (options.write) writeResult(part, major, result);
    }
  }
  if (options.write) writeFileSync(documentFile, evidenceDocument());
}

async function measure(part: Part, major: NodeMajor, { detective = '' }: EvidenceOptions): Promise<unknown> {
  const random = seededRandom(1);
  switch (part) {
    case 'stress':
      return measureStress(major, stress, showProgress);
    case 'hangs':
      return measureHangs(major);
    case 'throughput':
      return measureThroughput(major, throughput, random, showProgress);
    case 'latency':
      return measureLatency(major, BLOCKED_SECONDS, random);
    case 'cost':
      return measureCost(major, cost);
    case 'compare': {
      const comparisons: Comparison[] = [];
      for (const program of comparedPrograms) {
        showProgress(program.label);
        comparisons.push(await compare(program, detective));
      }
      return comparisons;
    }
  }
}

function showProgress(text: string): void {
  console.error(text);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
