const Hapi = require('@hapi/hapi');
const Joi = require('joi');

const order = Joi.object({
  id: Joi.number().integer().required(),
  email: Joi.string().email().required(),
  lines: Joi.array().items(Joi.object({ sku: Joi.string().alphanum(), count: Joi.number().min(1) })),
});

async function main() {
  const server = Hapi.server({ port: process.env.PORT, host: '127.0.0.1' });
  server.route([
    { method: 'GET', path: '/health', handler: () => 'ok' },
    {
      method: 'POST',
      path: '/orders',
      options: { payload: { maxBytes: 50e6 }, validate: { payload: Joi.array().items(order) } },
      handler: (request) => ({ orders: request.payload.length }),
    },
  ]);
  await server.start();
  process.on('SIGTERM', async () => {
    await server.stop({ timeout: 1000 });
    console.log('stopped');
    process.exit(0);
  });
}

main();
