import { setImmediate as nextIteration } from 'node:timers/promises';

import { ZodError, z } from 'zod';

import { PayloadTooLargeError } from '../http/errors.js';

const MAX_DEFINITION_BYTES = 32 * 1024 * 1024;
/** Small enough that one slice is validated in less than 10 ms. */
const STEPS_PER_SLICE = 250;

const retrySchema = z.object({
  maxAttempts: z.number().int().min(1).max(20),
  backoff: z.enum(['none', 'linear', 'exponential']),
  minDelayMs: z.number().int().min(0),
});

const stepBase = z.object({
  id: z.uuid(),
  name: z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/),
  dependsOn: z.array(z.uuid()).max(16),
  retry: retrySchema,
  labels: z.record(z.string().max(64), z.union([z.string(), z.number(), z.boolean()])),
});

/** A plain union tries all kinds one after the other, as code does in which kinds were added over the years. */
const stepSchema = z.union([
  stepBase.extend({ kind: z.literal('http'), url: z.url(), method: z.enum(['GET', 'POST', 'PUT', 'DELETE']) }),
  stepBase.extend({ kind: z.literal('query'), connection: z.string().min(1), sql: z.string().min(1) }),
  stepBase.extend({ kind: z.literal('wait'), until: z.iso.datetime() }),
  stepBase.extend({ kind: z.literal('notify'), to: z.array(z.email()).min(1), subject: z.string().min(1) }),
]);

const envelopeSchema = z.object({ project: z.string().min(1), name: z.string().min(1).max(128) });
const definitionSchema = envelopeSchema.extend({ steps: z.array(stepSchema).min(1) });
const unreadDefinitionSchema = envelopeSchema.extend({ steps: z.array(z.unknown()).min(1) });

export type TaskDefinition = z.infer<typeof definitionSchema>;

/** A measured and validated definition. */
export interface AdmittedDefinition {
  readonly definition: TaskDefinition;
  readonly sizeBytes: number;
  /** JSON text to store. */
  readonly text: string;
}

/** Measures and validates a parsed definition of any size in one step. */
export function admitDefinition(body: unknown): AdmittedDefinition {
  const sizeBytes = Buffer.byteLength(JSON.stringify(body));
  if (sizeBytes > MAX_DEFINITION_BYTES) throw tooLarge(sizeBytes);
  const definition = definitionSchema.parse(body);
  return { definition, sizeBytes, text: JSON.stringify(definition) };
}

/** The fixed variant: takes the received bytes, whose number and text are known, and validates the steps in slices. */
export async function admitDefinitionInSlices(bytes: Buffer): Promise<AdmittedDefinition> {
  if (bytes.byteLength > MAX_DEFINITION_BYTES) throw tooLarge(bytes.byteLength);
  const text = bytes.toString('utf8');
  const envelope = unreadDefinitionSchema.parse(parseJson(text));
  const steps: TaskDefinition['steps'] = [];
  const issues: ZodError['issues'] = [];
  for (const [index, step] of envelope.steps.entries()) {
    if (index % STEPS_PER_SLICE === 0) await nextIteration();
    const result = stepSchema.safeParse(step);
    if (result.success) steps.push(result.data);
    else issues.push(...result.error.issues.map((issue) => ({ ...issue, path: ['steps', index, ...issue.path] })));
  }
  if (issues.length > 0) throw new ZodError(issues);
  return { definition: { ...envelope, steps }, sizeBytes: bytes.byteLength, text };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw Object.assign(new Error('The body is not valid JSON.', { cause }), { statusCode: 400, code: 'INVALID_JSON' });
  }
}

function tooLarge(sizeBytes: number): PayloadTooLargeError {
  return new PayloadTooLargeError(`Expected at most ${MAX_DEFINITION_BYTES} bytes of definition, got ${sizeBytes}.`);
}
