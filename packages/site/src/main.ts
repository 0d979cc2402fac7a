// `npm run site` writes the site, checks every link, and says where it is.
//
// pages.ts says which files are pages, markdown.ts turns one into HTML, layout.ts puts it into the frame of the site,
// navigation.ts reads docs/README.md, links.ts finds links without a target.
import path from 'node:path';
import { parseArgs } from 'node:util';

import { writeSite } from './site.ts';

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: path.resolve(import.meta.dirname, '../dist') },
    ref: { type: 'string', default: 'main' },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  console.log(`Usage: npm run site -- [--out DIRECTORY] [--ref REF]

  --out   where to write the site; default: packages/site/dist
  --ref   branch or tag on GitHub that links to files of the repository name; default: main

The site works from a server, below any path, and from the folder: open index.html.`);
} else {
  const { pages, problems } = writeSite(values.out, values.ref);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
  else console.log(`${pages} pages, every link has a target: ${path.join(values.out, 'index.html')}`);
}
