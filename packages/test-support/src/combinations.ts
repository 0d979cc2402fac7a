import type { NodeMajor } from '@loopwatch/node-binaries';

/** A line of the OpenTelemetry SDK. */
export type SdkLine = 'sdk2' | 'sdk3';

export interface Combination {
  readonly nodeMajor: NodeMajor;
  readonly sdk: SdkLine;
}

/** What the published package supports: SDK 2.x from Node 20 on, SDK 3.x from Node 22 on. */
export const combinations: readonly Combination[] = [
  { nodeMajor: 20, sdk: 'sdk2' },
  { nodeMajor: 22, sdk: 'sdk2' },
  { nodeMajor: 24, sdk: 'sdk2' },
  { nodeMajor: 22, sdk: 'sdk3' },
  { nodeMajor: 24, sdk: 'sdk3' },
  { nodeMajor: 26, sdk: 'sdk3' },
];

/** One combination for each Node major: for what depends on Node and hardly on the SDK. */
export const combinationPerMajor: readonly Combination[] = [
  { nodeMajor: 20, sdk: 'sdk2' },
  { nodeMajor: 22, sdk: 'sdk2' },
  { nodeMajor: 24, sdk: 'sdk3' },
  { nodeMajor: 26, sdk: 'sdk3' },
];

/** `Node 24, sdk3`: for the names of tests. */
export function describeCombination({ nodeMajor, sdk }: Combination): string {
  return `Node ${nodeMajor}, ${sdk}`;
}
