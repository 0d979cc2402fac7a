import { readFileSync } from 'node:fs';

import * as esbuild from 'esbuild';

// A plugin in JavaScript that looks at every module, and the synchronous API over each of its files.
const counts = {};
const plugin = {
  name: 'count-identifiers',
  setup(build) {
    build.onLoad({ filter: /lodash-es/ }, ({ path }) => {
      const contents = readFileSync(path, 'utf8');
      for (const [name] of contents.matchAll(/[A-Za-z_$][\w$]*/g)) counts[name] = (counts[name] ?? 0) + 1;
      return { contents };
    });
  },
};
const result = await esbuild.build({
  entryPoints: ['entry.mjs'],
  bundle: true,
  minify: true,
  write: false,
  plugins: [plugin],
  metafile: true,
});
const modules = Object.keys(result.metafile.inputs).filter((name) => name.endsWith('.js'));
let bytes = 0;
for (let round = 0; round < 3; round++) {
  for (const name of modules) bytes += esbuild.transformSync(readFileSync(name, 'utf8'), { minify: true }).code.length;
}
console.log(modules.length, result.outputFiles[0].contents.length, bytes, Object.keys(counts).length);
