import resolve from '@rollup/plugin-node-resolve';
import terser from '@rollup/plugin-terser';

export default {
  input: 'entry.mjs',
  output: { file: 'out/bundle.mjs', format: 'es', sourcemap: true },
  plugins: [resolve(), terser({ maxWorkers: 1 })],
};
