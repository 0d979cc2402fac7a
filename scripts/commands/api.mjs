import { apiExtractorConfigs, apiReports } from '../lint/api-report.mjs';
import { workspacePackages } from '../lib/packages.mjs';
import { prepare } from '../lib/prepare.mjs';
import { programStep } from '../lib/progress.mjs';

/** `npm run api`: updates the API reports; commit them together with the change of the API. */
export async function main() {
  await prepare();
  for (const { name, directory } of workspacePackages()) {
    if (apiExtractorConfigs(directory).length === 0) continue;
    await programStep(`API report of ${name}`, () => apiReports(directory, 'update'));
  }
  return 0;
}
