// Bundles a TypeScript program, minified and with its map, runs it with source maps on, and prints the stack that the
// program captures of itself, before and after `mapStack`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const [directory, programText, mapMode] = process.argv.slice(2);
const source = path.resolve(import.meta.dirname, '../../../src');
// The sources import each other by the names of the built files.
registerHooks({
  resolve: (specifier, context, next) =>
    next(context.parentURL?.endsWith('.ts') ? specifier.replace(/^(\..*)\.js$/, '$1.ts') : specifier, context),
});
const { stackCapture } = await import(pathToFileURL(path.join(source, 'probe/stack-capture.ts')).href);
const { mapStack } = await import(pathToFileURL(path.join(source, 'monitor/source-map.ts')).href);

mkdirSync(path.join(directory, 'src'), { recursive: true });
const input = path.join(directory, 'src/app.ts');
writeFileSync(input, programText);
const bundle = await rolldown({ input, platform: 'node' });
const { output } = await bundle.generate({ format: 'esm', minify: true, sourcemap: true });
await bundle.close();
const [chunk] = output;
const file = path.join(directory, 'dist/app.mjs');
mkdirSync(path.dirname(file), { recursive: true });
const comments = {
  with: '\n//# sourceMappingURL=app.mjs.map\n',
  broken: '\n//# sourceMappingURL=app.mjs.map\n',
  without: '',
};
writeFileSync(file, chunk.code.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '') + comments[mapMode]);
writeFileSync(`${file}.map`, mapMode === 'broken' ? '{"version":3,' : JSON.stringify(chunk.map));

const capture = stackCapture();
globalThis.take = function take() {
  return capture(take);
};
const { frames } = await import(pathToFileURL(file).href);
console.log(JSON.stringify({ raw: frames.slice(0, 4), mapped: mapStack(frames).slice(0, 4) }));
