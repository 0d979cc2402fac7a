import { promises as fs } from 'node:fs';
import { promisify } from 'node:util';

import { COMPARISON_DATA_ID, type ComparisonReport } from '../../model/compare/comparison-report.js';
import { type Recording, REPORT_DATA_ID } from '../../model/recording/recording.js';
import { PAGE_FILE } from './page-file.js';

/** The page with the recording embedded. */
export async function reportHtml(recording: Recording, pageFile = PAGE_FILE): Promise<string> {
  return pageWith(REPORT_DATA_ID, recording, pageFile);
}

/** The page with the comparison embedded. */
export async function comparisonHtml(report: ComparisonReport, pageFile = PAGE_FILE): Promise<string> {
  return pageWith(COMPARISON_DATA_ID, report, pageFile);
}

/** The data is embedded as gzip in base64, so that no name in it can be parsed as HTML. */
async function pageWith(id: string, data: object, pageFile: URL): Promise<string> {
  const page = await fs.readFile(pageFile, 'utf8');
  const { gzip } = await import('node:zlib');
  const packed = await promisify(gzip)(JSON.stringify(data));
  const element = `<script type="application/octet-stream" id="${id}">${packed.toString('base64')}</script>`;
  // A replacement string would interpret `$`; the result of a function is inserted as it is.
  return page.replace('<div id="app">', () => `${element}<div id="app">`);
}
