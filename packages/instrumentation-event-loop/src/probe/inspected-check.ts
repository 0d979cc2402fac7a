import { createRequire } from 'node:module';
import process from 'node:process';

/** Returns a check whether a debugger could stop this thread; it is false where Node.js has no inspector. */
export function inspectedCheck(): () => boolean {
  try {
    // Required here, not imported: loading it throws where Node.js was built without the inspector.
    const inspector = createRequire(process.execPath)('node:inspector') as { url(): string | undefined };
    return () => inspector.url() !== undefined;
  } catch {
    return () => false;
  }
}
