import Fastify, { type FastifyInstance } from 'fastify';

import { consumerRoutes } from '../consumers/routes.js';
import type { ServiceContext } from './context.js';
import { exportRoutes } from '../exports/routes.js';
import { graphqlRoutes } from '../graphql/schema.js';
import { registerErrorHandler } from '../http/errors.js';
import { runRoutes } from '../runs/routes.js';
import { scheduleRoutes } from '../schedules/routes.js';
import { tagRoutes } from '../tags/routes.js';
import { taskRoutes } from '../tasks/routes.js';

/** The HTTP application, not yet listening. */
export async function buildApp(context: ServiceContext): Promise<FastifyInstance> {
  // Keep-alive connections are closed at once on shutdown, so that it does not wait for idle clients.
  const app = Fastify({ forceCloseConnections: 'idle' });
  registerErrorHandler(app);
  app.get('/healthz', () => ({ status: 'ok' }));
  runRoutes(app, context);
  taskRoutes(app, context);
  scheduleRoutes(app, context);
  graphqlRoutes(app, context);
  exportRoutes(app, context);
  consumerRoutes(app);
  if (context.hangRoute) tagRoutes(app);
  await app.ready();
  return app;
}
