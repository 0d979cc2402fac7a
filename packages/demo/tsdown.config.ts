import { defineConfig } from 'tsdown';

export default defineConfig({
  // One file a thread or process: the preload, the service, its worker threads, the traffic, and `npm start`.
  entry: [
    'src/telemetry.ts',
    'src/service.ts',
    'src/export-worker.ts',
    'src/heartbeat-worker.ts',
    'src/traffic.ts',
    'src/main.ts',
    'src/exit-with-parent.ts',
  ],
  format: ['esm'],
  platform: 'node',
  target: 'node22',
  // Culprits are to point at the lines of the .ts files.
  sourcemap: true,
  dts: false,
  fixedExtension: true,
});
