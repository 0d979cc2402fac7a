import type { JSX } from 'preact';

import { lineTimesOfBlock } from '../../model/stacks/line-times.js';
import type { Block, Sources } from '../../model/types.js';
import { HeatSource } from '../parts/code/heat-source.js';
import { SourceSnippet } from './source-snippet.js';

interface BlockSourceCodeProps {
  block: Block;
  sources: Sources;
}

/** The culprit's source: with the time of each line where the samples show several, else around its line. */
export function BlockSourceCode({ block, sources }: BlockSourceCodeProps): JSX.Element | null {
  const times = lineTimesOfBlock(block);
  if (!block.culprit || times.length < 2) return <SourceSnippet block={block} sources={sources} />;
  return (
    <div>
      <HeatSource
        filePath={block.culprit.filePath}
        times={times}
        sources={sources}
        hint="Blocked time by line, with what the line called, as the samples of this block show it."
      />
    </div>
  );
}
