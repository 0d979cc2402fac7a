import process from 'node:process';

/** How processes are looked at: by `/proc` of Linux, by the programs `ps` and `lsof`, or by those of Windows. */
export type PlatformKind = 'proc' | 'ps' | 'windows';

/** For the tests of `ps` and `lsof` on Linux: CONTRIBUTING.md. */
const TEST_VARIABLE = 'LOOPWATCH_TEST_PLATFORM';

export function platformKind(): PlatformKind {
  if (process.platform === 'win32') return 'windows';
  return process.platform === 'linux' && process.env[TEST_VARIABLE] !== 'ps' ? 'proc' : 'ps';
}
