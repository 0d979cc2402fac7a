import type { Database } from '../database/database.js';

/** Resources and settings that the routes share. */
export interface ServiceContext {
  readonly database: Database;
  /** Folder of the payloads of runs and of the exported artifacts. */
  readonly payloadDirectory: string;
  /** Whether to register `GET /tags/check`, which can block the process for minutes. */
  readonly hangRoute: boolean;
  /** Default: 1. */
  readonly release?: 1 | 2;
}
