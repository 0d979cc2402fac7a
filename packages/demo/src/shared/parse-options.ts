import type { z } from 'zod';

/** Parses command line values; the error's message names the option. */
export function parseOptions<T>(schema: z.ZodType<T>, values: Record<string, unknown>): T {
  const result = schema.safeParse(values);
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => {
    const name = issue.path.join('.');
    return `--${name} ${String(values[name])}: ${issue.message}`;
  });
  throw new Error(`Expected valid options, got:\n  ${problems.join('\n  ')}\nSee --help.`);
}
