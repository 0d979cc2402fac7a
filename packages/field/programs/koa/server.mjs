import { bodyParser } from '@koa/bodyparser';
import Router from '@koa/router';
import Koa from 'koa';
import { marked } from 'marked';

const router = new Router();
router.get('/health', (context) => {
  context.body = 'ok';
});
router.post('/pages', (context) => {
  context.body = marked.parse(context.request.body.text);
});
new Koa()
  .use(bodyParser({ jsonLimit: '20mb' }))
  .use(router.routes())
  .listen(Number(process.env.PORT), '127.0.0.1');
