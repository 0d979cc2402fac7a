import { apollo } from './apollo.ts';
import { ava } from './ava.ts';
import { babel } from './babel.ts';
import { betterQueue } from './better-queue.ts';
import { browserify } from './browserify.ts';
import { concurrently } from './concurrently.ts';
import { directus } from './directus.ts';
import { documents } from './documents.ts';
import { esbuild } from './esbuild.ts';
import { eslint } from './eslint.ts';
import { express } from './express.ts';
import { fastify } from './fastify.ts';
import { graphqlYoga } from './graphql-yoga.ts';
import { hapi } from './hapi.ts';
import { hono } from './hono.ts';
import { jasmine } from './jasmine.ts';
import { jest, jestThreads } from './jest.ts';
import { jimp } from './jimp.ts';
import { jsonServer } from './json-server.ts';
import { koa } from './koa.ts';
import { mocha } from './mocha.ts';
import { n8n } from './n8n.ts';
import { nestjs } from './nestjs.ts';
import { nodeRed } from './node-red.ts';
import { nodemon } from './nodemon.ts';
import { piscina } from './piscina.ts';
import { pm2 } from './pm2.ts';
import { poolifier } from './poolifier.ts';
import { postcss } from './postcss.ts';
import { prettier } from './prettier.ts';
import { rollup } from './rollup.ts';
import { sass } from './sass.ts';
import { svgo } from './svgo.ts';
import { templates } from './templates.ts';
import { tinypool } from './tinypool.ts';
import { tsx } from './tsx.ts';
import { typescript } from './typescript.ts';
import { verdaccio } from './verdaccio.ts';
import { vite } from './vite.ts';
import { vitest, vitestThreads } from './vitest.ts';
import { webpack } from './webpack.ts';
import { workerpool } from './workerpool.ts';
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
  verdaccio,
  hono,
  nestjs,
  templates,
  documents,
  eslint,
  typescript,
  webpack,
  rollup,
  vite,
  esbuild,
  prettier,
  babel,
  sass,
  postcss,
  browserify,
  svgo,
  jimp,
  jest,
  jestThreads,
  vitest,
  vitestThreads,
  mocha,
  jasmine,
  ava,
  piscina,
  tinypool,
  workerpool,
  poolifier,
  betterQueue,
  pm2,
  nodemon,
  concurrently,
  tsx,
  nodeRed,
  n8n,
  directus,
];
