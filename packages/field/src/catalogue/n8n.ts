import type { FieldProgram } from '../program.ts';

export const n8n: FieldProgram = {
  name: 'n8n',
  kind: 'heavy server',
  work: 'its migrations over SQLite, the description of its 400 nodes (several MB), its settings',
  command: ['node', 'node_modules/n8n/bin/n8n', 'start'],
  env: {
    N8N_PORT: '{port}',
    N8N_LISTEN_ADDRESS: '127.0.0.1',
    N8N_DIAGNOSTICS_ENABLED: 'false',
    N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
    N8N_TEMPLATES_ENABLED: 'false',
    N8N_RUNNERS_ENABLED: 'false',
  },
  server: {
    readyPath: '/healthz/readiness',
    requests: [{ path: '/types/nodes.json', concurrent: 2 }, { path: '/types/credentials.json' }, { path: '/healthz' }],
    signal: 'SIGTERM',
  },
  // Its binary is built for one major.
  nodeMajors: [24],
  timeoutMs: 240_000,
};
