// Builds the image for injection as the folder `injection-image` in the given one, before the namespaces of the tests:
// npm may have to download, and there is no network in them.
import { mkdirSync, renameSync } from 'node:fs';
import path from 'node:path';

import { buildInjectionImage } from '../../../../scripts/test/support/injection.ts';

const [directory = ''] = process.argv.slice(2);
const scratch = path.join(directory, 'build');
mkdirSync(scratch);
const { root } = await buildInjectionImage(scratch);
renameSync(root, path.join(directory, 'injection-image'));
