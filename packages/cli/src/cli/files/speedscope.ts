import { stacksOf } from '../../model/flame.js';
import { formatInstance } from '../../model/format.js';
import { functionOfBlock, isGuess } from '../../model/guess.js';
import { groupBy } from '../../model/group-by.js';
import type { Recording } from '../../model/recording.js';
import { parseStack } from '../../model/stack.js';
import type { Block } from '../../model/types.js';

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
    shared: { frames: [...frames.keys()].map((name) => ({ name, ...places.get(name) })) },
    profiles,
  };
}

/** The stacks of a block; a culprit that is a guess has its mark. */
function markedStacks(block: Block): ReturnType<typeof stacksOf> {
  if (!isGuess(block)) return stacksOf(block);
  const marked = functionOfBlock(block)!;
  return stacksOf(block).map(([frames, ms]) => [
    frames.map((name) => (name === block.culprit?.functionName ? marked : name)),
    ms,
  ]);
}

function byThread({ blocks, processes }: Recording): Map<string, Block[]> {
  return groupBy(blocks, ({ instance, threadName }) => {
    const process = processes.find(({ id }) => id === instance);
    return `${process ? formatInstance(process) : instance}, thread ${threadName}`;
  });
}

/** Places of functions. Folded stacks hold names only; stack traces of the same functions hold the places. */
function placesOf(blocks: readonly Block[]): Map<string, Omit<SpeedscopeFrame, 'name'>> {
  const places = new Map<string, Omit<SpeedscopeFrame, 'name'>>();
  for (const block of blocks) {
    for (const { functionName, filePath, lineNumber = 0, columnNumber } of parseStack(block.stackTrace ?? '')) {
      if (filePath === undefined) continue;
      const isMarked = isGuess(block) && functionName === block.culprit?.functionName;
      places.set(isMarked ? functionOfBlock(block)! : functionName, {
        file: filePath,
        line: lineNumber,
        ...(columnNumber !== undefined && { col: columnNumber }),
      });
    }
  }
  return places;
}
