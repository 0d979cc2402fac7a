import Fastify from 'fastify';

const app = Fastify({ bodyLimit: 50 * 1024 * 1024 });
const event = {
  type: 'object',
  required: ['id', 'kind', 'tags'],
  properties: {
    id: { type: 'integer' },
    kind: { enum: ['created', 'changed', 'deleted'] },
    tags: { type: 'array', items: { type: 'string', pattern: '^[a-z]+(-[a-z0-9]+)*$' }, uniqueItems: true },
  },
};
app.get('/health', () => 'ok');
app.post('/events', { schema: { body: { type: 'array', items: event } } }, (request) => ({
  count: request.body.length,
}));
app.get('/events', { schema: { response: { 200: { type: 'array', items: event } } } }, () =>
  Array.from({ length: 300_000 }, (_, id) => ({ id, kind: 'created', tags: [`tag-${id}`, 'all', 'new'] })),
);
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
