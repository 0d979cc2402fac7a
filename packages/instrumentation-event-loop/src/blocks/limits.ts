/*
 * The numbers that several verdicts share. Beside them, a verdict asks for half of a time: what took longer than all else.
 */

/** Fewer answers of the thread, or looks of the kernel, show single moments, and not what took half of a block. */
export const MIN_OBSERVATIONS = 3;

/**
 * Below this share of a time, what was measured is the edge of something else: a thread runs on its way into a suspension,
 * and one answer in ten stands at another place by chance.
 */
export const NEGLIGIBLE_SHARE = 0.1;

/**
 * Bounds of an interval are as exact as this, ms. So much may run between an event and the reading of its time: some
 * iterations of the loop, or a scavenge.
 */
export const BOUNDS_MS = 5;
