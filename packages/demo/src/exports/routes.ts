import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';

import { context as otelContext, propagation } from '@opentelemetry/api';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

import type { ServiceContext } from '../service/context.js';
import { NotFoundError } from '../http/errors.js';
import { fixedQuerySchema } from '../http/fixed.js';
import { ArtifactStore } from './artifact-store.js';
import { ExportPools } from './pools.js';

const MAX_ARTIFACT_BYTES = 64 * 1024 * 1024;

const runParamsSchema = z.object({ runId: z.coerce.number().int().positive() });
const exportQuerySchema = fixedQuerySchema.extend({ piscina: z.enum(['4', '5']).default('5') });
const artifactParamsSchema = z.object({ key: z.string().regex(/^[a-z0-9][a-z0-9.-]{0,127}$/) });

/** Exports runs in a pool of worker threads, and receives their uploads. */
export function exportRoutes(app: FastifyInstance, { database, payloadDirectory }: ServiceContext): void {
  const pools = new ExportPools();
  const store = new ArtifactStore(payloadDirectory);
  app.addHook('onClose', () => pools.close());
  let exportCount = 0;

  app.post('/runs/:runId/export', async (request, reply) => {
    const { runId } = runParamsSchema.parse(request.params);
    const { fixed, piscina } = exportQuerySchema.parse(request.query);
    if (!database.reader.prepare('SELECT 1 FROM runs WHERE id = ?').get(runId)) {
      throw new NotFoundError(`There is no run ${runId}.`);
    }
    const key = `run-${runId}-export-${++exportCount}.ndjson.gz`;
    const carrier: Record<string, string> = {};
    propagation.inject(otelContext.active(), carrier);
    const result = await pools.run(piscina, fixed === '1' ? 'exportRunCompletely' : 'exportRun', {
      databaseFile: database.file,
      runId,
      uploadUrl: `${ownUrl(app)}/artifacts/${key}`,
      carrier,
    });
    return reply.code(201).send({ key, ...result });
  });

  app.get('/artifacts/:key', (request) => {
    const { key } = artifactParamsSchema.parse(request.params);
    const artifact = store.find(key);
    if (!artifact) throw new NotFoundError(`There is no artifact "${key}".`);
    return artifact;
  });

  // In its own scope, because only this route takes its body as a stream.
  void app.register(function streamedBodies(scope, _options, done) {
    scope.addContentTypeParser('application/gzip', (_request, body, parsed) => {
      parsed(null, body);
    });
    scope.put('/artifacts/:key', { bodyLimit: MAX_ARTIFACT_BYTES }, async (request, reply) => {
      const { key } = artifactParamsSchema.parse(request.params);
      return reply.code(201).send(await store.put(key, request.body as Readable));
    });
    done();
  });
}

/** Base URL at which a worker thread reaches this service. */
function ownUrl(app: FastifyInstance): string {
  const { address, port } = app.server.address() as AddressInfo;
  if (address === '::' || address === '0.0.0.0') return `http://127.0.0.1:${port}`;
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
}
