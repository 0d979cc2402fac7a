import { groupBy } from '../../model/collections.js';
import type { Recording } from '../../model/recording/recording.js';
import { formatInstance } from '../../model/text/format.js';
import type { Block } from '../../model/types.js';
import { type FramePlace, markedStacks, placesOf } from './frames.js';

/** A frame of speedscope's file format. */
interface SpeedscopeFrame {
  name: string;
  file?: string;
  line?: number;
  col?: number;
}

interface SpeedscopeProfile {
  type: 'sampled';
  name: string;
  unit: 'milliseconds';
  startValue: number;
  endValue: number;
  samples: number[][];
  weights: number[];
}

export interface SpeedscopeFile {
  $schema: 'https://www.speedscope.app/file-format-schema.json';
  name: string;
  exporter: string;
  activeProfileIndex: number;
  shared: { frames: SpeedscopeFrame[] };
  profiles: SpeedscopeProfile[];
}

/** The blocked time, one profile for each thread: its blocks in order, without the time between them. */
export function speedscopeOf(recording: Recording): SpeedscopeFile {
  const frames = new Map<string, number>();
  const places = placesOf(recording.blocks);
  const indexOf = (name: string): number => {
    const index = frames.get(name) ?? frames.size;
    frames.set(name, index);
    return index;
  };
  const profiles = [...byThread(recording)].map(([name, blocks]): SpeedscopeProfile => {
    const stacks = blocks.flatMap(markedStacks);
    const weights = stacks.map(([, ms]) => ms);
    return {
      type: 'sampled',
      name,
      unit: 'milliseconds',
      startValue: 0,
      endValue: weights.reduce((total, ms) => total + ms, 0),
      samples: stacks.map(([names]) => names.map(indexOf)),
      weights,
    };
  });
  return {
    $schema: 'https://www.speedscope.app/file-format-schema.json',
    name: recording.command.join(' '),
    exporter: `loopwatch@${recording.loopwatchVersion}`,
    activeProfileIndex: 0,
    shared: { frames: [...frames.keys()].map((name) => frameOf(name, places.get(name))) },
    profiles,
  };
}

function frameOf(name: string, place: FramePlace | undefined): SpeedscopeFrame {
  if (!place) return { name };
  const { filePath, lineNumber, columnNumber } = place;
  return { name, file: filePath, line: lineNumber, ...(columnNumber !== undefined && { col: columnNumber }) };
}

function byThread({ blocks, processes }: Recording): Map<string, Block[]> {
  return groupBy(blocks, ({ instance, threadName }) => {
    const process = processes.find(({ id }) => id === instance);
    return `${process ? formatInstance(process) : instance}, thread ${threadName}`;
  });
}
