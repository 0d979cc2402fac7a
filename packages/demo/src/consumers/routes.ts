import type { FastifyInstance } from 'fastify';

import { isFixed } from '../http/fixed.js';
import { ConsumerGroup } from './consumer-group.js';

/** State and rebalance of the service's consumer group. */
export function consumerRoutes(app: FastifyInstance): void {
  const group = new ConsumerGroup();
  app.addHook('onClose', () => group.close());

  app.get('/consumers', () => group.state);

  app.post('/consumers/rebalance', async (request, reply) => {
    const generation = isFixed(request.query) ? await group.rebalanceCleanly() : group.rebalance();
    return reply.code(201).send({ generation });
  });
}
