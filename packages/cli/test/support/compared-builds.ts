import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { createRecording } from '../../src/model/recording/recording.js';
import type { Block } from '../../src/model/types.js';
import { makeBlock } from './records.js';

/** Recordings of two builds of a service, as files: 5 runs of the old build, 3 of the new one. */
export async function writeBuilds(directory: string): Promise<{ base: string[]; head: string[] }> {
  return { base: await writeRuns(directory, OLD), head: await writeRuns(directory, NEW) };
}

interface Build {
  readonly version: string;
  /** Its checkout. */
  readonly directory: string;
  /** Of each run, by which its blocks last longer. */
  readonly factors: readonly number[];
  /** ms of each handler's block. */
  readonly blockedMs: Readonly<Partial<Record<keyof typeof HANDLERS, number>>>;
}

const OLD: Build = {
  version: '1.2.0',
  directory: '/builds/base',
  factors: [1, 1.04, 0.97, 1.02, 0.98],
  blockedMs: { createSpans: 420, validateTask: 610, renderInvoice: 350, hashPassword: 520, sendMail: 180 },
};
const NEW: Build = {
  version: '1.3.0',
  directory: '/builds/head',
  factors: [1.01, 0.98, 1.03],
  blockedMs: { createSpans: 1_850, validateTask: 600, exportRows: 480, hashPassword: 230, sendMail: 184 },
};

/** Functions that block, with their stacks: shares of the block below the frames that all requests have. */
const HANDLERS = {
  createSpans: {
    file: 'src/runs/trace-view.ts',
    line: 17,
    request: 'GET /runs/:runId/trace',
    stacks: { 'getTrace;createSpans;Array.find;<anonymous trace-view.ts:24>': 0.7, 'getTrace;createSpans': 0.3 },
  },
  validateTask: {
    file: 'src/tasks/validate.ts',
    line: 9,
    request: 'POST /tasks',
    stacks: { 'postTask;validateTask;ZodObject._parse': 0.6, 'postTask;validateTask;JSON.parse': 0.4 },
  },
  renderInvoice: {
    file: 'src/invoices/render.ts',
    line: 48,
    request: 'GET /invoices/:id',
    stacks: { 'getInvoice;renderInvoice;compileTemplate': 0.8, 'getInvoice;renderInvoice': 0.2 },
  },
  exportRows: {
    file: 'src/export/csv.ts',
    line: 31,
    request: 'GET /export',
    stacks: { 'getExport;exportRows;escapeField': 0.75, 'getExport;exportRows': 0.25 },
  },
  hashPassword: {
    file: 'src/users/password.ts',
    line: 12,
    request: 'POST /login',
    stacks: { 'login;hashPassword;pbkdf2Sync': 1 },
  },
  sendMail: {
    file: 'src/mail/send.ts',
    line: 77,
    request: 'POST /mail',
    stacks: { 'postMail;sendMail;compileTemplate': 0.6, 'postMail;sendMail': 0.4 },
  },
} as const;

const FRAMEWORK = ['processTicksAndRejections', 'Layer.handle'];

async function writeRuns(directory: string, build: Build): Promise<string[]> {
  return Promise.all(
    build.factors.map(async (factor, index) => {
      const file = path.join(directory, `${build.version}-${index}.json`);
      const recording = createRecording({
        loopwatchVersion: '0.1.0',
        command: ['npm', 'run', 'benchmark'],
        directory: build.directory,
        startedMs: 1_795_263_286_000,
        durationMs: 30_000,
        thresholdMs: 100,
        exit: { code: 0 },
        processes: [{ id: 'i1', service: 'orders', label: 'pid 1', pid: 1 }],
        droppedBlocks: 0,
        sources: {},
        programVersion: build.version,
        vcs: {
          repositoryUrl: 'https://github.com/acme/orders',
          revision: build === OLD ? 'a1b2c3d4e5' : 'd4e5f6a7b8',
          rootDirectory: build.directory,
        },
        blocks: blocksOf(build, factor),
        lagPoints: [],
      });
      await writeFile(file, JSON.stringify(recording));
      return file;
    }),
  );
}

function blocksOf({ blockedMs, directory }: Build, factor: number): Block[] {
  const names = Object.keys(blockedMs) as (keyof typeof HANDLERS)[];
  return names.map((functionName, index): Block => {
    const { file, line, request, stacks } = HANDLERS[functionName];
    const durationMs = blockedMs[functionName]! * factor;
    const filePath = `${directory}/${file}`;
    const [handler] = Object.keys(stacks)[0]!.split(';');
    return makeBlock({
      id: functionName,
      startMs: 1_795_263_287_000 + index * 3_000,
      durationMs,
      culprit: { functionName, filePath, lineNumber: line, columnNumber: 3 },
      request,
      profile: Object.entries(stacks)
        .map(([stack, share]) => `${[...FRAMEWORK, stack].join(';')} ${Math.round(durationMs * share)}`)
        .join('\n'),
      stackTrace: [
        `    at ${functionName} (${filePath}:${line}:3)`,
        `    at ${handler} (${directory}/src/routes.ts:${10 + index}:5)`,
        `    at Layer.handle (${directory}/node_modules/express/lib/router/layer.js:95:5)`,
        '    at processTicksAndRejections (node:internal/process/task_queues:105:5)',
      ].join('\n'),
    });
  });
}
