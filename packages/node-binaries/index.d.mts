export type NodeMajor = 20 | 22 | 24 | 26;
/** The majors the published packages are tested on. */
export const nodeMajors: readonly NodeMajor[];
/** The major the workspace's own tools, demo and benchmarks run on. */
export const workspaceNodeMajor: NodeMajor;
/** Absolute path of the `node` executable of that major (default: the workspace's own). */
export function nodeBinary(major?: NodeMajor): string;
