import Fastify, { type FastifyInstance } from 'fastify';

import { consumerRoutes } from '../consumers/routes.js';
import type { ServiceContext } from './context.js';
import { exportRoutes } from '../exports/routes.js';
import { graphqlRoutes } from '../graphql/schema.js';
import { healthRoutes } from '../health/routes.js';
import { registerErrorHandler } from '../http/errors.js';
import { loginRoutes } from '../logins/routes.js';
import { runRoutes } from '../runs/routes.js';
import { scheduleRoutes } from '../schedules/routes.js';
import { searchRoutes } from '../search/routes.js';
import { tagRoutes } from '../tags/routes.js';
import { taskRoutes } from '../tasks/routes.js';

/** Builds the HTTP application; the caller makes it listen. */
export async function buildApp(context: ServiceContext): Promise<FastifyInstance> {
  // Otherwise a shutdown waits until clients close their idle keep-alive connections.
  const app = Fastify({ forceCloseConnections: 'idle' });
  registerErrorHandler(app);
  healthRoutes(app);
  loginRoutes(app);
  searchRoutes(app, context);
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
