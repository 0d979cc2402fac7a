import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

import { type Recording, REPORT_DATA_ID } from '../../model/recording.js';
import { PAGE_FILE } from './page-file.js';

/** The page with the recording embedded: gzip as base64, so that no name in it can be parsed as HTML. */
export async function reportHtml(recording: Recording, pageFile = PAGE_FILE): Promise<string> {
  const page = await readFile(pageFile, 'utf8');
  const packed = await promisify(gzip)(JSON.stringify(recording));
  const element = `<script type="application/octet-stream" id="${REPORT_DATA_ID}">${packed.toString('base64')}</script>`;
  // A replacement string would interpret `$`; the result of a function is inserted as it is.
  return page.replace('<div id="app">', () => `${element}<div id="app">`);
}
