import type { Database } from '../database/database.js';

/** What the routes share. */
export interface ServiceContext {
  readonly database: Database;
  /** Where the payloads of runs are stored. */
  readonly payloadDirectory: string;
  /** Whether the route exists that can hang the process for minutes. */
  readonly hangRoute: boolean;
}
