/*
 * A command line as it may be passed on, in a recording or a report: without what a person would not publish. Values of
 * options and variables whose name ends with `token`, `password`, `secret`, `key` or the like, passwords in URLs, and
 * credentials of an `Authorization` header.
 */

const HIDDEN = '***';

const SECRET = 'tokens?|passwords?|passwd|passphrase|pwd|pass|secrets?|keys?|apikeys?|credentials?';
/** The last part of a name such as `--npm-token`, `apiKey`, `DB_PASSWORD`. */
const SECRET_NAME = new RegExp(`^(?!--?no-)-{0,2}(?:[\\w.-]*[_.-])?(?:${SECRET})$`, 'i');
const SECRET_CAMEL_NAME = /^-{0,2}[\w.-]*[a-z](?:Tokens?|Passwords?|Passphrase|Secrets?|Keys?|Credentials?)$/;
/** `name=value` in a word, which may be the text of a whole shell command. */
const ASSIGNMENT = /((?:^|[\s;&|?'"(,])-{0,2})([A-Za-z_][\w.-]*)=("[^"]*"|'[^']*'|[^\s'"&;)]+)/g;
/** Only the last character of the scheme: to look for the first one takes quadratic time in a long word without a URL. */
const URL_PASSWORD = /([a-z\d+.-]:\/\/[^\s/:@'"]*):[^\s/'"]*@/gi;
const AUTHORIZATION = /(authorization:\s*(?:(?:basic|bearer|token)\s+)?)[^\s'"]+/gi;

/** The words of a command line, with `***` in the places of secrets. */
export function publicCommand(words: readonly string[]): string[] {
  return words.map((word, index) => {
    const option = words[index - 1];
    if (option?.startsWith('-') && !word.startsWith('-') && isSecretName(option)) return HIDDEN;
    return publicText(word);
  });
}

function publicText(text: string): string {
  return text
    .replace(URL_PASSWORD, `$1:${HIDDEN}@`)
    .replace(AUTHORIZATION, `$1${HIDDEN}`)
    .replace(ASSIGNMENT, (whole, before: string, name: string) =>
      isSecretName(name) ? `${before}${name}=${HIDDEN}` : whole,
    );
}

function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name) || SECRET_CAMEL_NAME.test(name);
}
