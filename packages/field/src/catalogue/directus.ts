import type { FieldProgram } from '../program.ts';

const token = 'field-token';
const headers = { authorization: `Bearer ${token}` };

const orders = Array.from({ length: 3000 }, (_, id) => ({
  name: `order ${id}`,
  amount: id % 97,
  note: 'words '.repeat(20),
}));

export const directus: FieldProgram = {
  name: 'directus',
  kind: 'heavy server',
  work: 'a new collection over SQLite, 3,000 items, queries by REST and GraphQL, its OpenAPI document',
  // Its native addon `isolated-vm` has no version for newer majors.
  nodeMajors: [20],
  prepare: ['node', 'node_modules/directus/cli.js', 'bootstrap'],
  command: ['node', 'node_modules/directus/cli.js', 'start'],
  env: {
    HOST: '127.0.0.1',
    PUBLIC_URL: 'http://localhost:{port}',
    DB_CLIENT: 'sqlite3',
    DB_FILENAME: './data.db',
    KEY: 'field',
    SECRET: 'field-secret',
    ADMIN_EMAIL: 'admin@example.com',
    ADMIN_PASSWORD: 'field-password',
    ADMIN_TOKEN: token,
    TELEMETRY: 'false',
    LOG_LEVEL: 'warn',
    MAX_PAYLOAD_SIZE: '50mb',
  },
  withRegister: true,
  server: {
    readyPath: '/server/ping',
    requests: [
      {
        method: 'POST',
        path: '/collections',
        headers,
        body: {
          collection: 'orders',
          schema: {},
          meta: {},
          fields: [
            { field: 'name', type: 'string' },
            { field: 'amount', type: 'integer' },
            { field: 'note', type: 'text' },
          ],
        },
      },
      { method: 'POST', path: '/items/orders?limit=1', headers, body: orders },
      { path: '/items/orders?limit=-1&sort=amount', headers, concurrent: 3 },
      { method: 'POST', path: '/graphql', headers, body: { query: '{ orders(limit: -1) { id name note } }' } },
      { path: '/server/specs/oas', headers },
    ],
    signal: 'SIGTERM',
  },
};
