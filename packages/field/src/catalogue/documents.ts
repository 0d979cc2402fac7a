import type { FieldProgram } from '../program.ts';

export const documents: FieldProgram = {
  name: 'documents',
  kind: 'server',
  work: 'large CSV and XML files are parsed, a spreadsheet is written and read, a PDF is written',
  command: ['node', 'server.cjs'],
  withRegister: true,
  server: {
    readyPath: '/health',
    requests: [{ path: '/csv' }, { path: '/xml' }, { path: '/spreadsheet' }, { path: '/pdf', concurrent: 2 }],
    signal: 'SIGTERM',
  },
};
