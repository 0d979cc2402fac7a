/*
 * What of a command line is passed on, in a recording, a report or a profile: the program. Its arguments may be secrets,
 * and which ones are cannot be known by their names: `--auth X`, `-p X`, `--header 'X-Api-Key: X'`, `?sig=X`.
 */

/** Programs whose first argument that is no option is the program that the user knows. */
const RUNTIME = /^(node|nodejs|bun|tsx|ts-node)(\.exe)?$/;
/** Options of Node.js whose value may be the next word: that is not the script. */
const OPTION_WITH_VALUE = new RegExp(
  `^(-r|-C|-L|--(${[
    'require|import|loader|experimental-loader|conditions|env-file|env-file-if-exists|experimental-config-file|run',
    'input-type|experimental-default-type|title|watch-path|inspect-port|stack-trace-limit|max-old-space-size',
    'icu-data-dir|openssl-config|diagnostic-dir|redirect-warnings|trace-event-(categories|file-pattern)|trace-require-module',
    'report-(dir|directory|filename|signal)|(cpu|heap)-prof-(dir|name|interval)|heapsnapshot-(signal|near-heap-limit)',
    'test-(name-pattern|skip-pattern|reporter|reporter-destination|shard|timeout|concurrency|coverage-(include|exclude))',
    'unhandled-rejections|dns-result-order|secure-heap|secure-heap-min|localstorage-file|max-http-header-size',
    'allow-fs-(read|write)|tls-(cipher-list|keylog|(min|max)-v1\\.[0-3])|disable-warning',
  ].join('|')}))$`,
);
/** Evaluates a text: what follows are the text and its arguments. `-pe` and `-ep` are both. */
const EVALUATES = /^(-(e|p|pe|ep)|--(eval|print)(=.*)?)$/;

/** The program of a command line: the executable and, where that is Node.js, the path of the script. */
export function publicCommand(words: readonly string[]): string[] {
  const [executable = '', ...args] = words;
  const script = RUNTIME.test(executable.replace(/^.*[/\\]/, '')) ? scriptIn(args) : undefined;
  return script === undefined ? [executable] : [executable, script];
}

/** Undefined if Node.js evaluates a text, or reads the script from a stream. */
function scriptIn(args: readonly string[]): string | undefined {
  for (let index = 0; index < args.length; index += 1) {
    const word = args[index]!;
    if (word === '--') return args[index + 1];
    if (word === '-' || EVALUATES.test(word)) return undefined;
    if (!word.startsWith('-')) return word === '' ? undefined : word;
    if (OPTION_WITH_VALUE.test(word)) index += 1;
  }
  return undefined;
}

/** Whether Node.js was started with these options to evaluate a text: then `process.argv[1]` is an argument of that. */
export function evaluatesText(execArgv: readonly string[]): boolean {
  return execArgv.some((word) => EVALUATES.test(word));
}

/** The words of a command line that a recording gets. */
export function recordedCommand(words: readonly string[], withArguments: boolean): readonly string[] {
  return withArguments ? words : publicCommand(words);
}
