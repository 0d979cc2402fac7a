import type { FieldProgram } from '../program.ts';

const name = 'field-package';
const tarball = Buffer.alloc(40 * 2 ** 20, 'loopwatch').toString('base64');

/** What `npm publish` sends. */
const publication = {
  _id: name,
  name,
  'dist-tags': { latest: '1.0.0' },
  versions: {
    '1.0.0': { name, version: '1.0.0', dist: { tarball: `http://localhost/${name}/-/${name}-1.0.0.tgz` } },
  },
  _attachments: {
    [`${name}-1.0.0.tgz`]: { content_type: 'application/octet-stream', data: tarball, length: 40 * 2 ** 20 },
  },
};

export const verdaccio: FieldProgram = {
  name: 'verdaccio',
  kind: 'server',
  work: 'a package of 40 MB is published and fetched',
  command: ['node', 'node_modules/verdaccio/bin/verdaccio', '--config', 'config.yaml', '--listen', '127.0.0.1:{port}'],
  withRegister: true,
  noise: [
    { pattern: /"(?:time|pid)":\d+/g, by: '' },
    { pattern: /"(?:_rev|time|modified|created|1\.0\.0)":\s?"[^"]*"/g, by: '' },
  ],
  server: {
    readyPath: '/-/ping',
    requests: [
      { method: 'PUT', path: `/${name}`, body: publication },
      { path: `/${name}` },
      { path: `/${name}/-/${name}-1.0.0.tgz`, concurrent: 2 },
      { path: '/missing-package' },
    ],
    signal: 'SIGTERM',
  },
};
