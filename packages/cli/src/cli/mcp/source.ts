import { createHash } from 'node:crypto';

import { acceptBlock } from '../../model/accept/block.js';
import { CULPRIT_KINDS, type KindedBlock } from '../../model/advice/culprit-kind.js';
import { checkoutPath, type CheckoutPlace } from '../../model/compare/checkout-path.js';
import { culpritKey, definitionText } from '../../model/blocks/culprits.js';
import type { VictimGroup } from '../../model/blocks/victims.js';
import { notKeptText } from '../../model/live/not-kept.js';
import type { CulpritDetail, PageState } from '../../model/live/page.js';
import type { Recording } from '../../model/recording/recording.js';
import { nothingWatchedSentence, remarksOn } from '../../model/report/remarks.js';
import type { Block, Sources } from '../../model/types.js';
import { readRecordings } from '../files/read-recording.js';
import type { AllowedFiles } from './allowed-files.js';
import { askServe, serveUrl } from './ask-serve.js';

/** Blocks to look at, wherever they come from. */
export interface BlockSource {
  /** `2 recordings`, `http://127.0.0.1:4318` */
  readonly name: string;
  readonly blocks: readonly LocatedBlock[];
  /** Sentences about what the blocks do not show. */
  readonly remarks: readonly string[];
  /** What is known of blocks besides them: the source, and who waited; undefined where nothing records that. */
  details(blocks: readonly LocatedBlock[]): Promise<SourceDetails>;
}

export interface LocatedBlock {
  readonly block: KindedBlock;
  /** Paths below it are shown relative to it. */
  readonly directory?: string;
  /** Of the recording; of a "serve", the paths are those of several programs. */
  readonly place?: CheckoutPlace;
}

export interface SourceDetails {
  readonly sources: Sources;
  readonly victims?: readonly VictimGroup[];
  /** The longest block, with its stack. */
  readonly longest?: Block;
}

export interface SourceArguments {
  readonly recordings?: readonly string[] | undefined;
  readonly url?: string | undefined;
}

/** Opens what a tool is asked about. Throws where the arguments do not name one source. */
export async function openSource({ recordings, url }: SourceArguments, files: AllowedFiles): Promise<BlockSource> {
  const hasRecordings = recordings !== undefined && recordings.length > 0;
  if (hasRecordings === (url !== undefined)) {
    throw new Error(
      `Expected either recordings or url, got ${hasRecordings ? 'both' : 'neither'}. Give the files that record or "loopwatch run --json" has written, or the address of a running "loopwatch serve".`,
    );
  }
  return url === undefined ? openRecordings(recordings ?? [], files) : openServe(url);
}

async function openRecordings(names: readonly string[], files: AllowedFiles): Promise<BlockSource> {
  const recordings = await readAllowed(names, files);
  return {
    name: `${recordings.length} recording${recordings.length === 1 ? '' : 's'}`,
    blocks: recordings.flatMap((recording) =>
      recording.blocks.map((block) => ({ block, directory: recording.directory, place: recording })),
    ),
    remarks: [...new Set(recordings.flatMap(remarksOfRecording))],
    details: (located) => {
      const files = new Set(located.flatMap(({ block }) => block.culprit?.filePath ?? []));
      const sources = Object.assign({}, ...recordings.toReversed().map((recording) => recording.sources)) as Sources;
      const longest = longestOf(located);
      return Promise.resolve({
        sources: Object.fromEntries(Object.entries(sources).filter(([file]) => files.has(file))),
        ...(longest && { longest }),
      });
    },
  };
}

/** Reads recordings whose files may be read. */
export async function readAllowed(names: readonly string[], files: AllowedFiles): Promise<Recording[]> {
  return readRecordings(names.map((name) => files.readable(name)));
}

function remarksOfRecording(recording: Recording): string[] {
  return [nothingWatchedSentence(recording) ?? [], remarksOn(recording, recording.thresholdMs)].flat();
}

async function openServe(given: string): Promise<BlockSource> {
  const url = serveUrl(given);
  const state = (await askServe(url, '/api/state')) as PageState;
  const blocks = acceptedBlocks(state.blocks);
  const notKept = state.notKept === undefined ? undefined : notKeptText(state.notKept);
  const { directory } = state;
  return {
    name: url.origin,
    blocks: blocks.map((block) => ({ block, ...(typeof directory === 'string' && { directory }) })),
    remarks: [state.remarks ?? [], notKept ?? []].flat().filter((remark) => typeof remark === 'string'),
    details: async (located) => {
      const key = located[0] && culpritKey(located[0].block);
      const longestId = longestOf(located)?.id;
      if (key === undefined || longestId === undefined) return { sources: {} };
      const [detail, block] = (await Promise.all([
        askServe(url, `/api/culprit?culprit=${encodeURIComponent(key)}`),
        askServe(url, `/api/block?id=${encodeURIComponent(longestId)}`),
      ])) as [CulpritDetail, { readonly block: Block }];
      const longest = acceptBlock(block.block);
      return {
        sources: detail.sources,
        victims: detail.victims.filter(({ name }) => typeof name === 'string'),
        ...(longest && { longest }),
      };
    },
  };
}

/** Another server may answer there, and anything. */
function acceptedBlocks(blocks: unknown): KindedBlock[] {
  if (!Array.isArray(blocks)) throw new Error('Expected the blocks of "loopwatch serve" at that address, got none.');
  return (blocks as PageState['blocks']).flatMap((row) => {
    const block = acceptBlock(row);
    const kind = CULPRIT_KINDS.find((each) => each === row.kind);
    return block ? [{ ...block, kind: kind ?? null, ...(row.kindIsGuess === true && { kindIsGuess: true }) }] : [];
  });
}

function longestOf(located: readonly LocatedBlock[]): Block | undefined {
  return located.map(({ block }) => block).sort((a, b) => b.durationMs - a.durationMs)[0];
}

/** Id of a block's culprit: short, and the same in each recording, wherever the checkout lies. */
export function culpritId({ block, place }: Pick<LocatedBlock, 'block' | 'place'>): string {
  const { culprit, cause, asyncResource = '' } = block;
  const path = culprit && (place ? checkoutPath(culprit.filePath, place) : culprit.filePath);
  const key = culprit
    ? `${culprit.functionName}\n${path}\n${culprit.functionName === '<anonymous>' ? definitionText(block) : ''}`
    : `\n${cause}\n${asyncResource}`;
  return createHash('sha256').update(key).digest('hex').slice(0, 10);
}
