import type { CodeLocation, Sources } from '../types.js';

/** Longer lines are cut: what they contain is not known. A bundle has all of its code on one. */
export const MAX_LINE_LENGTH = 240;
/** Lines of a statement, and above a line, that are read. */
const MAX_STATEMENT_LINES = 200;

/** Calls into native code that leave no frame on the stack, and in which V8 cannot be interrupted. */
export const NATIVE_CALL = /\bJSON\.(?:parse|stringify)\(|\bstructuredClone\(|\b\w+Sync\(/;
/** `for (…) {`, `while (…) {`, `do {`, anywhere in the line. */
const LOOP = /\b(?:for(?: await)?|while)\s*\(|\bdo\s*\{/;
/** `items.map((item) => {`, `items.forEach(function (item) {` */
const CALLBACK_OF_LIST =
  /\.(?:map|forEach|flatMap|reduce|reduceRight|filter|find|findIndex|findLast|findLastIndex|some|every|sort)\(.*(?:=>|\bfunction\b)/;
/** Any other function: what is above it is not of the same call. */
const FUNCTION =
  /\bfunction\b|=>\s*[{(]?\s*$|^\s*(?:(?:async|static|get|set|public|private|protected)\s+|[*#])*(?!(?:if|for|while|switch|catch|with)\b)[\w$]+\s*\([^;]*\)[^;=]*\{\s*$/;

/** The lines of a file that are known whole. */
export function linesOf(sources: Sources, filePath: string): (lineNumber: number) => string | undefined {
  const lines = sources[filePath] ?? {};
  return (lineNumber) => {
    const text = lines[String(lineNumber)];
    return text === undefined || text.length >= MAX_LINE_LENGTH ? undefined : text;
  };
}

interface Heads {
  /** Numbers of the line itself and of those that open what it stands in, innermost first, up to its function. */
  readonly lines: readonly number[];
  /** False where the source does not reach so far. */
  readonly isWhole: boolean;
}

function headsAround({ filePath, lineNumber }: CodeLocation, sources: Sources): Heads {
  const lineAt = linesOf(sources, filePath);
  const own = lineAt(lineNumber);
  if (own === undefined) return { lines: [], isWhole: false };
  const lines = [lineNumber];
  let indent = indentOf(own);
  for (let line = lineNumber - 1; line > 0; line--) {
    const text = line < lineNumber - MAX_STATEMENT_LINES ? undefined : lineAt(line);
    if (text === undefined) return { lines, isWhole: false };
    if (text.trim() === '' || indentOf(text) >= indent) continue;
    indent = indentOf(text);
    lines.push(line);
    if (FUNCTION.test(text) && !isLoopHead(text)) break;
  }
  return { lines, isWhole: true };
}

/**
 * The head and the known lines of the innermost loop around a line, in the same function: of `for` and its kind, or of
 * a callback that a list's method calls, except for `method`. `null`: there is none. Undefined: the source does not
 * reach so far.
 */
export function loopAround(location: CodeLocation, sources: Sources, method?: string): string | null | undefined {
  const lineAt = linesOf(sources, location.filePath);
  const { lines, isWhole } = headsAround(location, sources);
  const head = lines.find((line) => isLoopHead(lineAt(line)!.split(`.${method}(`)[0]!));
  if (head !== undefined) return textOf(lineAt, head);
  return isWhole ? null : undefined;
}

/** The known lines up to this one, the nearest first. */
export function linesAbove({ filePath, lineNumber }: CodeLocation, sources: Sources): string[] {
  const lineAt = linesOf(sources, filePath);
  return Array.from({ length: MAX_STATEMENT_LINES }, (_, offset) => lineAt(lineNumber - offset) ?? '');
}

/** The line that calls one of these methods: the line itself, or one in whose callback it stands. */
export function callAround(location: CodeLocation, sources: Sources, call: RegExp): CodeLocation | undefined {
  const lineAt = linesOf(sources, location.filePath);
  const line = headsAround(location, sources).lines.find((each) => call.test(lineAt(each)!));
  return line === undefined ? undefined : { ...location, lineNumber: line };
}

function isLoopHead(text: string): boolean {
  return LOOP.test(text) || CALLBACK_OF_LIST.test(text);
}

/** The lines from a head on that belong to it, as far as they are known. */
function textOf(lineAt: (lineNumber: number) => string | undefined, head: number): string {
  const lines = [lineAt(head)!];
  const indent = indentOf(lines[0]!);
  for (let line = head + 1; line < head + MAX_STATEMENT_LINES; line++) {
    const text = lineAt(line);
    if (text === undefined || (text.trim() !== '' && indentOf(text) <= indent)) break;
    lines.push(text);
  }
  return lines.join('\n');
}

function indentOf(text: string): number {
  return text.length - text.trimStart().length;
}

/** A line and the block that it opens, without comments; undefined where not all of it is known. */
export function statementFrom({ filePath, lineNumber }: CodeLocation, sources: Sources): string | undefined {
  const lineAt = linesOf(sources, filePath);
  let text = '';
  for (let offset = 0; offset < MAX_STATEMENT_LINES; offset++) {
    const next = lineAt(lineNumber + offset);
    if (next === undefined) return undefined;
    text += `${next.replace(/\/\/.*$/, '')}\n`;
    // The body of a loop without braces is the next line.
    if (openBrackets(text) <= 0 && !/\b(?:for|while)\s*\(.*\)\s*$/.test(text.trimEnd())) return text;
  }
  return undefined;
}

function openBrackets(text: string): number {
  const count = (brackets: RegExp): number => text.match(brackets)?.length ?? 0;
  return count(/[([{]/g) - count(/[)\]}]/g);
}

/** What is called in a text: names, or a sign where another value is called or a list is copied. */
export function callsIn(text: string): ReadonlySet<string> {
  const calls = text.matchAll(/([\w$]+|[\])`])\s*(?:\?\.)?\(|(\[\.\.\.)/g);
  return new Set([...calls].map(([, name, copy]) => name ?? copy!));
}
