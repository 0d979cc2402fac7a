import { filterBlocks, rangeOf } from '../../model/filter.js';
import { flameGraph } from '../../model/flame.js';
import { rowOf } from '../../model/page.js';
import type { Recording } from '../../model/recording.js';
import { startUpSentence } from '../../model/start-up.js';
import type { DataSource } from './source.js';

/** Reads the recording that is embedded in the report. */
export async function reportSource(embedded: string): Promise<DataSource> {
  const recording = await unpack(embedded);
  const instances = new Map(recording.processes.map((instance) => [instance.id, instance]));
  const blocks = new Map(recording.blocks.map((block) => [block.id, block]));
  return {
    subscribe(onState, onConnection) {
      onConnection('report');
      onState({
        title: recording.command.join(' '),
        version: recording.loopwatchVersion,
        directory: recording.directory,
        startedMs: recording.startedMs,
        endedMs: recording.startedMs + recording.durationMs,
        thresholdMs: recording.thresholdMs,
        outcome: outcomeOf(recording),
        startUp: startUpSentence(recording, recording.thresholdMs),
        droppedBlocks: recording.droppedBlocks,
        maxBlocks: recording.blocks.length,
        instances: recording.processes,
        blocks: recording.blocks.map(rowOf),
        lag: recording.lag.points,
        threads: [],
      });
      return () => undefined;
    },
    flame: (filter) => Promise.resolve(flameGraph(filterBlocks(recording.blocks, filter, instances), rangeOf(filter))),
    detail(blockId) {
      const block = blocks.get(blockId);
      return Promise.resolve(block && { block, trace: [], victims: [], sources: recording.sources });
    },
  };
}

function outcomeOf({ exit }: Recording): string {
  return exit.signal === undefined ? `exit code ${exit.code ?? 0}` : `ended by ${exit.signal}`;
}

async function unpack(base64: string): Promise<Recording> {
  const bytes = Uint8Array.from(atob(base64.trim()), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return JSON.parse(await new Response(stream).text()) as Recording;
}
