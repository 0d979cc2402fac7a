import { execFileSync } from 'node:child_process';

/** Whether this user may create namespaces, by the options of `unshare`. */
export function canUnshare(...options: readonly string[]): boolean {
  try {
    execFileSync('unshare', [...options, 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
