import type { FastifyInstance } from 'fastify';

import { isFixed } from '../http/fixed.js';
import { ConsumerGroup } from './consumer-group.js';

/** The service's membership in its consumer group. */
export function consumerRoutes(app: FastifyInstance): void {
  const group = new ConsumerGroup();
  app.addHook('onClose', () => group.close());

  app.get('/consumers', () => group.state);

  app.post('/consumers/rebalance', async (request, reply) => {
    const generation = isFixed(request.query) ? await group.rebalanceCleanly() : group.rebalance();
    return reply.code(201).send({ generation });
  });
}
