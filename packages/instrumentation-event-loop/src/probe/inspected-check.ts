import { nodeModule } from '../contract/node-module.js';

/** Returns a check whether a debugger could stop this thread; it is false where Node.js has no inspector. */
export function inspectedCheck(): () => boolean {
  try {
    // Loaded here, not imported: that throws where Node.js was built without the inspector.
    const inspector = nodeModule('node:inspector') as { url(): string | undefined } | undefined;
    return () => inspector?.url() !== undefined;
  } catch {
    return () => false;
  }
}
