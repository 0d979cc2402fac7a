import { realpathSync, statSync } from 'node:fs';
import path from 'node:path';

import { isBelow } from '../files/regular-file.js';
import { quoted } from './data-text.js';

/** The files that tools may read and write: below the project, and below directories that the user allows. */
export class AllowedFiles {
  readonly #directories: string[];
  readonly #project: string;

  constructor(project: string, allowed: readonly string[]) {
    this.#project = project;
    this.#directories = [project, ...allowed].map(realDirectory);
  }

  /** Also permits what is below a directory of the server's own. */
  allow(directory: string): void {
    this.#directories.push(realDirectory(directory));
  }

  /** The path of a file to read, without links. Throws if there is none, or it lies elsewhere. */
  readable(name: string): string {
    const real = this.#real(name);
    if (real === undefined) {
      throw new Error(
        `Expected the path of a recording, got ${quoted(name)}, which does not exist. Make one with the tool record, or with: loopwatch run --json FILE -- COMMAND`,
      );
    }
    this.#assertBelow(name, real);
    if (!statSync(real).isFile()) throw new Error(`Expected the path of a file, got ${quoted(name)}, which is none.`);
    return real;
  }

  /** The path of a file to write. Throws if its directory does not exist, or lies elsewhere. */
  writable(name: string): string {
    const directory = this.#real(path.dirname(path.resolve(this.#project, name)));
    if (directory === undefined) {
      throw new Error(`Expected a path in an existing directory, got ${quoted(name)}. Create the directory first.`);
    }
    const file = path.join(directory, path.basename(name));
    // A link there may lead elsewhere.
    this.#assertBelow(name, this.#real(file) ?? file);
    return file;
  }

  /** The path of a directory to work in, without links. Throws if there is none, or it lies elsewhere. */
  directory(name: string): string {
    const real = this.#real(name);
    if (real === undefined || !statSync(real).isDirectory()) {
      throw new Error(`Expected the path of a directory, got ${quoted(name)}, which is none.`);
    }
    if (!this.#directories.includes(real)) this.#assertBelow(name, real);
    return real;
  }

  #real(name: string): string | undefined {
    return realOf(path.resolve(this.#project, name));
  }

  #assertBelow(name: string, real: string): void {
    if (this.#directories.some((directory) => isBelow(real, directory))) return;
    throw new Error(
      `Expected a file below the project of the server, got ${quoted(name)}. Its user can allow another directory: loopwatch mcp --allow DIR`,
    );
  }
}

function realDirectory(name: string): string {
  const real = realOf(name);
  if (real === undefined || !statSync(real).isDirectory())
    throw new Error(`Expected a directory as --directory or --allow, got ${name}.`);
  return real;
}

/** The path without links; undefined where there is nothing. */
function realOf(name: string): string | undefined {
  try {
    return realpathSync.native(name);
  } catch {
    return undefined;
  }
}
