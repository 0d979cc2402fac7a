/**
 * Rolldown plugin: escapes all characters beyond ASCII. A single one beyond Latin-1 would make V8 store the whole file
 * with two bytes for each character, in each thread.
 */
export function asciiPlugin() {
  return {
    name: 'loopwatch:ascii',
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type === 'chunk' && /\.[cm]js$/.test(file.fileName)) file.code = asciiOnly(file.code);
      }
    },
  };
}

/** The same code in ASCII: such characters stand in strings, templates and regular expressions only. */
export function asciiOnly(code) {
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
