import type { EpisodeName } from './episodes.js';

export interface PlannedRequest {
  readonly kind: 'quick' | EpisodeName;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** JSON. */
  readonly body?: string;
}
