/** What is measured; `compare` needs a folder with node-loop-detective. */
export const parts = ['stress', 'hangs', 'throughput', 'latency', 'cost', 'compare'] as const;
export type Part = (typeof parts)[number];
