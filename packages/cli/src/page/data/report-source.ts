import { filterBlocks, rangeOf } from '../../model/blocks/filter.js';
import { busyView, filterPeriods } from '../../model/busy-time/busy-view.js';
import { busyPeriodsOfRecording } from '../../model/busy-time/recorded-busy-time.js';
import { rowOf } from '../../model/live/page.js';
import type { Recording } from '../../model/recording/recording.js';
import { nothingWatchedSentence, remarksOn } from '../../model/report/remarks.js';
import { flameGraph } from '../../model/stacks/flame.js';
import { formatMs } from '../../model/text/format.js';
import type { DataSource } from './source.js';

/** The recording that is embedded in the report. */
export function reportSource(recording: Recording): DataSource {
  const instances = new Map(recording.processes.map((instance) => [instance.id, instance]));
  const busyPeriods = recording.busyTime ? busyPeriodsOfRecording(recording.busyTime) : [];
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
        remarks: [nothingWatchedSentence(recording) ?? [], remarksOn(recording, recording.thresholdMs)].flat(),
        droppedBlocks: recording.droppedBlocks,
        maxBlocks: recording.blocks.length,
        ...(recording.vcs && { vcs: recording.vcs }),
        instances: recording.processes,
        seen: [],
        blocks: recording.blocks.map(rowOf),
        lag: recording.lag.points,
        threads: [],
      });
      return () => undefined;
    },
    flame: (filter) => Promise.resolve(flameGraph(filterBlocks(recording.blocks, filter, instances), rangeOf(filter))),
    busy: (filter) => Promise.resolve(busyView(filterPeriods(busyPeriods, filter, instances), rangeOf(filter))),
    // A run knows no spans, so no request that waited.
    culprit: () => Promise.resolve({ victims: [], sources: recording.sources }),
    detail(blockId) {
      const block = blocks.get(blockId);
      return Promise.resolve(block && { block, trace: [], victims: [], sources: recording.sources });
    },
  };
}

function outcomeOf({ exit }: Recording): string {
  const killed = exit.killedAfterMs === undefined ? '' : `, blocked for longer than ${formatMs(exit.killedAfterMs)}`;
  return `${exit.signal === undefined ? `exit code ${exit.code ?? 0}` : `ended by ${exit.signal}`}${killed}`;
}
