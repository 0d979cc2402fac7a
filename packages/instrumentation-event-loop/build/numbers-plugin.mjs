import * as liveness from '../src/contract/liveness-data.ts';
import * as probe from '../src/contract/probe-answers.ts';
import * as registry from '../src/contract/registry-layout.ts';

/** Files that name numbers, by their names in imports. */
const files = new Map([
  ['liveness-data', liveness],
  ['probe-answers', probe],
  ['registry-layout', registry],
]);

/**
 * Rolldown plugin: writes `SlotInt.threadId` and other numbers that two threads agree on as numbers, and computes the
 * sizes and offsets of the registry. Without it, each thread's code contains the objects with all of these names.
 */
export function numbersPlugin() {
  return {
    name: 'loopwatch:numbers',
    load(id) {
      const file = files.get(/\/contract\/([\w-]+)\.ts$/.exec(id)?.[1]);
      if (file === undefined) return null;
      return Object.entries(file)
        .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`)
        .join('\n');
    },
    transform(code) {
      const imports = [...code.matchAll(/ from '[./\w-]+\/([\w-]+)\.js'/g)].flatMap(
        ([, name]) => files.get(name) ?? [],
      );
      if (imports.length === 0) return null;
      const tables = Object.assign({}, ...imports);
      const numberOf = (name, field) => (typeof tables[name] === 'object' ? tables[name][field] : undefined);
      // The lines stay, and no source map says more (./line-map.mjs).
      return {
        code: code.replaceAll(/(?<![.\w])([A-Z]\w+)\.(\w+)\b/g, (text, name, field) => numberOf(name, field) ?? text),
        map: null,
      };
    },
  };
}
