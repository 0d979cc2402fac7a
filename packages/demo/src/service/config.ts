import { z } from 'zod';

const environmentSchema = z.object({
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: z.coerce.number().int().min(0).max(65_535).default(8080),
  DEMO_DATA_DIR: z.string().min(1).optional(),
  DEMO_TRANSACTION_TIMEOUT_MS: z.coerce.number().int().min(10).default(1000),
  DEMO_HANG_ROUTE: z.enum(['0', '1']).default('0'),
  DEMO_RELEASE: z.enum(['1', '2']).default('1'),
});

export interface ServiceConfig {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Folder of the database and the payload files; absent: a temporary folder that the service removes when it ends. */
  readonly dataDirectory: string | undefined;
  readonly transactionTimeoutMs: number;
  /** Whether to register `GET /tags/check`, which can block the process for minutes. */
  readonly hangRoute: boolean;
  /** The second release counts active schedules, and has a culprit that the first has not. */
  readonly release: 1 | 2;
}

/** Reads the settings of the service; throws an error that names each invalid variable. */
export function readConfig(environment: NodeJS.ProcessEnv): ServiceConfig {
  // An empty variable counts as unset, as OpenTelemetry specifies it for its own variables.
  const set = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const result = environmentSchema.safeParse(set);
  if (!result.success) {
    const problems = result.error.issues.map((issue) => {
      const name = issue.path.join('.');
      return `${name}=${JSON.stringify(environment[name])}: ${issue.message}`;
    });
    throw new Error(`Expected valid settings, got:\n  ${problems.join('\n  ')}\nSee packages/demo/README.md.`);
  }
  const values = result.data;
  return {
    host: values.HOST,
    port: values.PORT,
    dataDirectory: values.DEMO_DATA_DIR,
    transactionTimeoutMs: values.DEMO_TRANSACTION_TIMEOUT_MS,
    hangRoute: values.DEMO_HANG_ROUTE === '1',
    release: values.DEMO_RELEASE === '2' ? 2 : 1,
  };
}
