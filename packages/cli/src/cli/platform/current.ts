import { platformKind, type PlatformKind } from './kind.js';
import { linux } from './linux.js';
import type { Platform } from './platform.js';
import { unix } from './unix.js';
import { windows } from './windows.js';

const PLATFORMS: Readonly<Record<PlatformKind, Platform>> = { proc: linux, ps: unix, windows };

/** The one place that selects an implementation. */
export function platform(): Platform {
  return PLATFORMS[platformKind()];
}
