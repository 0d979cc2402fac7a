import type { FieldProgram } from '../program.ts';

const section = `## A title with *words*

- an item with \`code\` and a [link](https://example.com/a_b)
- another **bold** item

| column | other |
| ------ | ----- |
| 1      | 2     |

> A quote that goes on, <b>with tags</b> and ![a picture](x.png).

`;

export const koa: FieldProgram = {
  name: 'koa',
  kind: 'server',
  work: 'Markdown of 1 MB to HTML by marked',
  command: ['node', 'server.mjs'],
  withRegister: true,
  server: {
    readyPath: '/health',
    requests: [
      { method: 'POST', path: '/pages', body: { text: section.repeat(4000) }, concurrent: 2 },
      { path: '/missing' },
    ],
    signal: 'SIGTERM',
  },
};
