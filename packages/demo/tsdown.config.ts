import { defineConfig } from 'tsdown';

export default defineConfig({
  // One file for each process or thread: the preload, the service, its worker threads, the traffic, and `npm start`.
  entry: {
    telemetry: 'src/telemetry.ts',
    service: 'src/service.ts',
    'export-worker': 'src/exports/export-worker.ts',
    'heartbeat-worker': 'src/consumers/heartbeat-worker.ts',
    traffic: 'src/traffic.ts',
    main: 'src/main.ts',
    'exit-with-parent': 'src/launch/exit-with-parent.ts',
  },
  format: ['esm'],
  platform: 'node',
  target: 'node22',
  // With --enable-source-maps, culprits point at the lines of the .ts files.
  sourcemap: true,
  dts: false,
  fixedExtension: true,
});
