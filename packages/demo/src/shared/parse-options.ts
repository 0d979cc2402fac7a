import type { z } from 'zod';

/** Validates the values of the command line; throws an error that names each invalid option. */
export function parseOptions<T>(schema: z.ZodType<T>, values: Record<string, unknown>): T {
  const result = schema.safeParse(values);
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => {
    const name = issue.path.join('.');
    return `--${name} ${String(values[name])}: ${issue.message}`;
  });
  throw new Error(`Expected valid options, got:\n  ${problems.join('\n  ')}\nSee --help.`);
}
