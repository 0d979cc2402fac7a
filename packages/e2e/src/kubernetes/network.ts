import { execFileSync } from 'node:child_process';

/** The namespace of a test begins without it. */
export function bringUpLoopback(): void {
  execFileSync('ip', ['link', 'set', 'lo', 'up']);
}
