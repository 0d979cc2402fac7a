const http = require('node:http');

function search() {
  return /^(\w+\s?)+$/.test(`${'a'.repeat(25)}!`);
}

http
  .createServer((request, response) => {
    response.end(request.url === '/health' ? 'ok' : String(search()));
  })
  .listen(process.env.PORT, '127.0.0.1');
