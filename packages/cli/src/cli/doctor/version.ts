/** The numbers of `v24.21.0` or `0.301.0-beta.1`; 0 where one is missing. */
export function versionParts(version: string): readonly [number, number, number] {
  const [, major, minor, patch] = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?/.exec(version) ?? [];
  return [Number(major ?? 0), Number(minor ?? 0), Number(patch ?? 0)];
}

/** Whether the version is at least `major.minor`. */
export function isAtLeast(version: string, major: number, minor: number): boolean {
  const [ownMajor, ownMinor] = versionParts(version);
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}
