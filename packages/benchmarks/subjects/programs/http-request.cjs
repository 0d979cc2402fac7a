const http = require('node:http');

const server = http
  .createServer((_request, response) => response.end('ok'))
  .listen(0, '127.0.0.1', () => {
    http.get(server.address(), (response) => response.resume().on('end', () => server.close())).end();
  });
