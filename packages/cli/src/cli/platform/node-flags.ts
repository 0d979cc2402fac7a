import { isNodeBinaryName } from './proc-text.js';

/** Flags whose value may follow as a word of its own. */
const WITH_VALUE =
  /^(-r|--require|--import|--loader|--experimental-loader|-C|--conditions|--env-file|--allow-fs-read|--allow-fs-write)$/;

/** The flags of Node.js between its binary, the first word, and the script. A value that is a word of its own counts, and `--`. */
export function flagsOf(words: readonly string[]): string[] {
  const flags: string[] = [];
  for (let index = 1; index < words.length; index++) {
    const word = words[index] ?? '';
    if (!word.startsWith('-') || word === '-') break;
    flags.push(word);
    if (word === '--') break;
    if (WITH_VALUE.test(word)) flags.push(words[++index] ?? '');
  }
  return flags;
}

/** The flags of each Node.js that a command names, as in `env -i node --permission app.js`. Arguments of a script are none. */
export function flagsOfCommand(command: readonly string[]): string[] {
  return command.flatMap((word, i) => (isNodeBinaryName(word) ? flagsOf(command.slice(i)) : []));
}
