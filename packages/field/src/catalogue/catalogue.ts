import { apollo } from './apollo.ts';
import { babel } from './babel.ts';
import { esbuild } from './esbuild.ts';
import { eslint } from './eslint.ts';
import { express } from './express.ts';
import { fastify } from './fastify.ts';
import { graphqlYoga } from './graphql-yoga.ts';
import { hapi } from './hapi.ts';
import { jsonServer } from './json-server.ts';
import { koa } from './koa.ts';
import { prettier } from './prettier.ts';
import { rollup } from './rollup.ts';
import { typescript } from './typescript.ts';
import { vite } from './vite.ts';
import { webpack } from './webpack.ts';
import type { FieldProgram } from '../program.ts';

/** All programs, in the order of the report. */
export const catalogue: readonly FieldProgram[] = [
  express,
  fastify,
  koa,
  hapi,
  jsonServer,
  graphqlYoga,
  apollo,
  eslint,
  typescript,
  webpack,
  rollup,
  vite,
  esbuild,
  prettier,
  babel,
];
