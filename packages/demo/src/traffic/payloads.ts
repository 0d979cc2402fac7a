import type { Random } from '../shared/random.js';

/** Gives about 5 MB of JSON, like the import of a large workflow from another product. */
const LARGE_STEP_COUNT = 12_000;

/** A task definition with thousands of steps, as JSON. */
export function largeDefinition(random: Random, stepCount = LARGE_STEP_COUNT): string {
  const steps = [];
  let previous: string | undefined;
  for (let index = 0; index < stepCount; index++) {
    const id = uuid(random);
    steps.push({
      id,
      name: `step-${index}`,
      dependsOn: previous === undefined ? [] : [previous],
      retry: { maxAttempts: 1 + random.integer(5), backoff: 'exponential', minDelayMs: 1000 },
      labels: { team: random.pick(['core', 'data', 'growth']), priority: random.integer(5), critical: false },
      ...actionOf(index, random),
    });
    previous = id;
  }
  return JSON.stringify({ project: 'billing', name: 'imported-workflow', steps });
}

function actionOf(index: number, random: Random): Record<string, unknown> {
  switch (random.integer(4)) {
    case 0:
      return { kind: 'http', url: `https://api.example.com/v2/customers/${index}/invoices`, method: 'POST' };
    case 1:
      return {
        kind: 'query',
        connection: 'warehouse',
        sql: `SELECT id, total, currency, due_at FROM invoices WHERE customer_id = ${index} AND paid_at IS NULL`,
      };
    case 2:
      return { kind: 'wait', until: '2026-12-01T09:00:00Z' };
    default:
      return { kind: 'notify', to: [`customer-${index}@example.com`], subject: `Invoice ${index} is due` };
  }
}

/** A version 4 UUID from the seeded random numbers. */
function uuid(random: Random): string {
  const { hex } = random;
  return `${hex(8)}-${hex(4)}-4${hex(3)}-${random.pick(['8', '9', 'a', 'b'])}${hex(3)}-${hex(12)}`;
}
