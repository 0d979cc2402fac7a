import type { EpisodeName } from './episodes.js';

export interface PlannedRequest {
  readonly kind: 'quick' | EpisodeName;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** How long after the other requests of its step it is sent; absent: at once. */
  readonly delayMs?: number;
  /** JSON. */
  readonly body?: string;
}
