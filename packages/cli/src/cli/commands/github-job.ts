import process from 'node:process';

/** Whether this is a job of GitHub Actions, which gets annotations and a summary. */
export function isGitHubJob(): boolean {
  return process.env.GITHUB_ACTIONS === 'true';
}
