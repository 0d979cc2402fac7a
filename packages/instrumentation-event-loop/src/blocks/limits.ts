/*
 * The numbers that several verdicts share. Beside them, a verdict asks for half of a time: what took longer than all else.
 */

/** Fewer answers of the thread, or looks of the kernel, show single moments, and not what took half of a block. */
export const MIN_OBSERVATIONS = 3;

/** A share of a time below this says nothing about the time: halved or doubled, it moves one verdict in a thousand. */
export const NEGLIGIBLE_SHARE = 0.1;

/** Bounds of an interval are as exact as this, ms: what runs for less beside one belongs to it. */
export const BOUNDS_MS = 5;
