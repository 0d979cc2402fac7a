const server = require('fastify')();

server.get('/', () => ({ answer: 42 }));
server.inject('/').then(() => server.close());
