import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import { Copy, DockerfileParser, JSONInstruction, type Instruction } from 'dockerfile-ast';
import { validate } from 'dockerfile-utils';

const run = promisify(execFile);

/** An image that was built as a folder: what its container would run, and with what. */
export interface BuiltImage {
  /** The folder that stands for `/` of the image. */
  readonly root: string;
  readonly workingDirectory: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** What a parser of Dockerfiles finds wrong in one. */
export async function problemsOf(dockerfile: string): Promise<string[]> {
  return validate(await readFile(dockerfile, 'utf8')).map(
    ({ message, range }) => `line ${range.start.line + 1}: ${typeof message === 'string' ? message : message.value}`,
  );
}

/**
 * Runs the instructions of a Dockerfile in folders below `scratch`, one for each stage, where there is no engine: the
 * base image is empty there, and programs are those of this machine. `env` is for the commands of RUN.
 */
export async function buildInFolders(
  dockerfile: string,
  context: string,
  scratch: string,
  env: NodeJS.ProcessEnv,
): Promise<BuiltImage> {
  const stages = new Map<string, BuiltImage>();
  let image: BuiltImage | undefined;
  for (const instruction of DockerfileParser.parse(await readFile(dockerfile, 'utf8')).getInstructions()) {
    const keyword = instruction.getKeyword();
    const words = instruction.getArguments().map((argument) => argument.getValue());
    if (keyword === 'FROM') {
      image = { root: path.join(scratch, `stage-${stages.size}`), workingDirectory: '/', command: [], env: {} };
      await mkdir(image.root, { recursive: true });
      stages.set(words[2] ?? String(stages.size), image);
      continue;
    }
    if (image === undefined) throw new Error(`Expected FROM first, got ${keyword}.`);
    const changed = await applyInstruction(instruction, words, image, { context, stages, env });
    for (const [name, stage] of stages) if (stage === image) stages.set(name, changed);
    image = changed;
  }
  if (image === undefined) throw new Error(`Expected instructions in ${dockerfile}, got none.`);
  return image;
}

interface Build {
  readonly context: string;
  readonly stages: ReadonlyMap<string, BuiltImage>;
  readonly env: NodeJS.ProcessEnv;
}

async function applyInstruction(
  instruction: Instruction,
  words: readonly string[],
  image: BuiltImage,
  { context, stages, env }: Build,
): Promise<BuiltImage> {
  const inImage = (file: string): string => path.join(image.root, path.posix.resolve(image.workingDirectory, file));
  switch (instruction.getKeyword()) {
    case 'WORKDIR': {
      await mkdir(inImage(words[0]!), { recursive: true });
      return { ...image, workingDirectory: path.posix.resolve(image.workingDirectory, words[0]!) };
    }
    case 'COPY': {
      const [flag] = instruction instanceof Copy ? instruction.getFlags() : [];
      const from = flag === undefined ? context : stages.get(flag.getValue()!)!.root;
      const target = words.at(-1)!;
      for (const source of words.slice(0, -1)) {
        const isDirectory = (await stat(path.join(from, source))).isDirectory();
        const name = !isDirectory && target.endsWith('/') ? path.basename(source) : '';
        await cp(path.join(from, source), path.join(inImage(target), name), {
          recursive: true,
          verbatimSymlinks: true,
        });
      }
      return image;
    }
    case 'RUN': {
      await run('sh', ['-c', instruction.getArgumentsContent()!], { cwd: inImage('.'), env: { ...env, ...image.env } });
      return image;
    }
    case 'ENV': {
      return { ...image, env: { ...image.env, ...Object.fromEntries(words.map((word) => splitOnce(word))) } };
    }
    case 'CMD': {
      const texts = instruction instanceof JSONInstruction ? instruction.getJSONStrings() : [];
      const command = texts.map((text) => JSON.parse(text.getValue()) as string);
      return { ...image, command };
    }
    // What only an engine can do.
    case 'EXPOSE':
    case 'USER':
      return image;
    default:
      throw new Error(`Expected an instruction that the examples use, got ${instruction.getKeyword()}.`);
  }
}

function splitOnce(word: string): [string, string] {
  const at = word.indexOf('=');
  return [word.slice(0, at), word.slice(at + 1)];
}
