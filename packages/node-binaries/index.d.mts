export type NodeMajor = 20 | 22 | 24 | 26;
/** The Node majors on which the published packages are tested. */
export const nodeMajors: readonly NodeMajor[];
/** The Node major that the workspace's tools, demo and benchmarks run on. */
export const workspaceNodeMajor: NodeMajor;
/** Returns the absolute path of the `node` executable of a major (default: `workspaceNodeMajor`). */
export function nodeBinary(major?: NodeMajor): string;
