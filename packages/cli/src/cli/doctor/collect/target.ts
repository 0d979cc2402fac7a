import { existsSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';

import { checkTarget, readExisting } from '../../inspect/process/checks.js';
import {
  commandOf,
  environmentOf,
  isForeign,
  isNode,
  isWatched,
  namespaceOf,
  type ProcessInfo,
  workingDirectoryOf as workingDirectory,
} from '../../inspect/process/processes.js';
import { listeningIn, holderOf } from '../../inspect/process/sockets.js';
import { platformKind } from '../../platform/kind.js';
import { flagsOf } from '../../platform/node-flags.js';
import { inspectorPort } from '../../platform/proc-text.js';
import { Refusal } from '../../platform/refusal.js';
import type { Environment, InspectorFacts, ProcessFacts, Target } from '../facts.js';

export interface TargetFacts {
  readonly target: Target;
  /** False where the process has other rights than this one: nothing that it could have written is executed. */
  readonly isTrusted: boolean;
  /** Where its packages are looked for. */
  readonly packageDirectory: string | undefined;
  readonly env: Environment | undefined;
  readonly flags: readonly string[];
  readonly inspector: InspectorFacts | undefined;
}

/** The directory and the environment of this command. */
export function directoryTarget(): TargetFacts {
  const flags = flagsIn(process.env.NODE_OPTIONS);
  return {
    target: { directory: process.cwd(), process: undefined },
    isTrusted: true,
    packageDirectory: process.cwd(),
    env: relevant(process.env),
    flags,
    inspector:
      platformKind() === 'proc' && !existsSync('/proc/self/net/tcp')
        ? undefined
        : inspectorFacts(process.pid, inspectorPort(flags)),
  };
}

/** A process, from outside: nothing is sent to it. Throws a `Refusal` if the process does not exist. */
export function processTarget(pid: number): TargetFacts {
  const info = readExisting(pid);
  const variables = environmentOf(pid);
  const env =
    variables.length === 0
      ? undefined
      : relevant(
          Object.fromEntries(variables.map((text) => [text.split('=', 1)[0] ?? '', text.slice(text.indexOf('=') + 1)])),
        );
  const flags = [...flagsIn(env?.NODE_OPTIONS), ...flagsOf(info.args)];
  const directory = workingDirectoryOf(pid);
  return {
    isTrusted: !isForeign(info),
    target: { directory: directory?.inside ?? '', process: processFacts(info, directory?.outside) },
    packageDirectory: directory?.outside,
    env,
    flags,
    inspector: inspectorFacts(pid, inspectorPort(info.args, env?.NODE_OPTIONS)),
  };
}

function processFacts(info: ProcessInfo, directory: string | undefined): ProcessFacts {
  const { pid, args } = info;
  const script = args[1 + flagsOf(args).length];
  const file = script === undefined || directory === undefined ? undefined : path.resolve(directory, script);
  return {
    pid,
    command: commandOf(info),
    isNode: isNode(info),
    isWatched: isWatched(info),
    refusal: refusalOf(pid),
    hasSourceMap: file !== undefined && existsSync(`${file}.map`),
  };
}

function refusalOf(pid: number): ProcessFacts['refusal'] {
  try {
    checkTarget(pid, 'attach');
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return { problem: error.problem, advice: error.advice };
    throw error;
  }
}

function inspectorFacts(pid: number, port: number): InspectorFacts {
  const taken = port === 0 ? undefined : listeningIn(pid).find((socket) => socket.port === port);
  const holder = taken && holderOf(taken.inode);
  return {
    port,
    isOpen: holder?.pid === pid,
    takenBy: taken && (holder ? `process ${holder.pid} (${commandOf(holder)})` : 'a process of another user'),
  };
}

/** As the process names it, and as this one reaches it: a process in a container has a root of its own. */
function workingDirectoryOf(pid: number): { readonly inside: string; readonly outside: string } | undefined {
  const inside = workingDirectory(pid);
  if (inside === undefined) return undefined;
  const isContained = namespaceOf(pid, 'mnt') !== namespaceOf('self', 'mnt');
  return { inside, outside: isContained ? path.join(`/proc/${pid}/root`, inside) : inside };
}

function flagsIn(options = ''): string[] {
  return options.split(/\s+/).filter(Boolean);
}

function relevant(env: Environment): Environment {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => /^(LOOPWATCH_|OTEL_|NODE_OPTIONS$|NODE_EXTRA_CA_CERTS$)/.test(name)),
  );
}
