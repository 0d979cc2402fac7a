const { createServer } = require('node:http');

const handlebars = require('handlebars');
const nunjucks = require('nunjucks');
const pug = require('pug');

const rows = Array.from({ length: 60_000 }, (_, id) => ({ id, name: `name <${id}>`, tags: ['a', 'b', 'c'] }));

const engines = {
  '/handlebars': handlebars.compile(
    '<table>{{#each rows}}<tr><td>{{id}}</td><td>{{name}}</td><td>{{#each tags}}{{this}} {{/each}}</td></tr>{{/each}}</table>',
  ),
  '/nunjucks': (data) =>
    nunjucks.renderString(
      '<table>{% for row in rows %}<tr><td>{{ row.id }}</td><td>{{ row.name | upper | escape }}</td></tr>{% endfor %}</table>',
      data,
    ),
  '/pug': pug.compile(
    'table\n  each row in rows\n    tr\n      td= row.id\n      td= row.name\n      td= row.tags.join(" ")',
  ),
};

createServer((request, response) => {
  const render = engines[request.url];
  response.setHeader('content-type', 'text/html');
  response.end(render === undefined ? 'ok' : render({ rows }));
}).listen(Number(process.env.PORT), '127.0.0.1');
