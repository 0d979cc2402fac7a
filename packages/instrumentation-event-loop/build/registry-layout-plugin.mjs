import * as layout from '../src/contract/registry-layout.ts';

const layoutFile = /\/registry-layout\.ts$/;
const importsLayout = /from '[./\w-]+\/registry-layout\.js'/;
const objects = Object.keys(layout).filter((name) => typeof layout[name] === 'object');
const fields = new RegExp(String.raw`(?<![.\w])(${objects.join('|')})\.(\w+)\b`, 'g');

/**
 * Rolldown plugin: writes `SlotInt.threadId` and the other fields of the registry as the numbers that they are, and
 * computes its sizes and offsets. Without it, each thread's code contains the objects with all of these names.
 */
export function registryLayoutPlugin() {
  return {
    name: 'loopwatch:registry-layout',
    load(id) {
      if (!layoutFile.test(id)) return null;
      return Object.entries(layout)
        .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`)
        .join('\n');
    },
    transform(code, id) {
      if (layoutFile.test(id) || !importsLayout.test(code)) return null;
      // The lines stay, and no source map says more (./line-map.mjs).
      return { code: code.replaceAll(fields, (text, object, field) => layout[object][field] ?? text), map: null };
    },
  };
}
