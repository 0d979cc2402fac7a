import { lineMap } from './line-map.mjs';

/** Rolldown plugin: reduces the source maps of the output, which are otherwise larger than the code. */
export function lineMapPlugin() {
  return {
    name: 'loopwatch:line-map',
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type === 'asset' && file.fileName.endsWith('.map')) {
          file.source = JSON.stringify(lineMap(JSON.parse(file.source)));
        }
      }
    },
  };
}
