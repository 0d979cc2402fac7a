import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** What kind of code ran. `either`: it may have been part of a native call, or of what V8 does for JavaScript. */
export type Kind = 'javascript' | 'either' | 'native' | 'gc';

export interface Tick {
  /** Since V8 has started. */
  readonly atMs: number;
  readonly kind: Kind;
}

/** How many ticks saw each kind of code. */
export type Ticks = Readonly<Record<Kind, number>>;

export function countTicks(ticks: readonly Tick[]): Ticks {
  const count = (kind: Kind): number => ticks.filter((tick) => tick.kind === kind).length;
  return { javascript: count('javascript'), either: count('either'), native: count('native'), gc: count('gc') };
}

/** V8's states of its virtual machine, as a tick has them. */
const GC = 1;
/** Parser, compilers and what the log itself does. */
const COMPILING = new Set([2, 3, 4]);
const LOGGING = 9;

interface Code {
  readonly start: number;
  readonly end: number;
  readonly kind: Kind;
}

/**
 * The ticks of a log of `--prof`. Each has the address at which the thread ran: in code that V8 has made of JavaScript,
 * in a builtin of V8's library or of its support of JavaScript, or in C++, whose symbols the binary of Node has.
 */
export function readTicks(file: string): Tick[] {
  const codes = new Map<number, Code>();
  const foreign: (readonly Code[])[] = [];
  const ticks: Tick[] = [];
  let sorted: Code[] | undefined;
  for (const line of readFileSync(file, 'latin1').split('\n')) {
    const fields = line.split(',');
    if (fields[0] === 'shared-library') {
      foreign.push(librarySymbols(fields[1]!, Number(fields[2]), Number(fields[3]), Number(fields[4] ?? 0)));
    } else if (fields[0] === 'code-creation') {
      const start = Number(fields[4]);
      codes.set(start, { start, end: start + Number(fields[5]), kind: kindOfCode(fields[1]!, fields[6] ?? '') });
      sorted = undefined;
    } else if (fields[0] === 'code-move') {
      const moved = codes.get(Number(fields[1]));
      if (!moved) continue;
      const start = Number(fields[2]);
      codes.delete(moved.start);
      codes.set(start, { ...moved, start, end: start + moved.end - moved.start });
      sorted = undefined;
    } else if (fields[0] === 'tick') {
      sorted ??= [...codes.values()].sort((a, b) => a.start - b.start);
      const state = Number(fields[5]);
      if (state === LOGGING) continue;
      const address = Number(fields[1]);
      const ofCode = COMPILING.has(state) ? 'javascript' : kindAt([sorted, ...foreign], address);
      ticks.push({ atMs: Number(fields[2]) / 1000, kind: state === GC ? 'gc' : (ofCode ?? 'either') });
    }
  }
  return ticks;
}

/** Builtins that do the work of a function of the language's library, by the start of their name. */
const LIBRARY =
  /^(Array|String|TypedArray|Map|Set|WeakMap|WeakSet|RegExp|Object|Number|Math|BigInt|Date|Symbol|Reflect|DataView|FindOrderedHash)/;
/** Those that only support JavaScript, although their names begin as the others do. */
const SUPPORT =
  /^(StringAdd|StringEqual|ArrayConstructor|ArrayNArguments|ArrayNoArgument|ArraySingleArgument|NumberTo|BigIntAdd)/;

function kindOfCode(type: string, name: string): Kind {
  if (type === 'RegExp') return 'native';
  if (type !== 'Builtin') return 'javascript';
  return LIBRARY.test(name) && !SUPPORT.test(name) ? 'either' : 'javascript';
}

/**
 * C++ of V8's that is a native call: JSON, regular expressions, Intl, structured clone, dates, WebAssembly, and other
 * functions of the library. The rest of V8 does what JavaScript needs: properties, strings, calls.
 */
const NATIVE_OF_V8 =
  /Json|RegExp|Irregexp|Intl|JSDateTimeFormat|JSNumberFormat|JSCollator|JSSegment|ValueSerializer|ValueDeserializer|DateParser|DateCache|wasm|\d+Builtin_/i;

function kindOfSymbol(symbol: string): Kind {
  if (/^_ZNK?2v88internal/.test(symbol)) return NATIVE_OF_V8.test(symbol) ? 'native' : 'javascript';
  // V8's interface, which native code calls, and the arithmetic of large integers, which operators call.
  return /^_ZNK?2v8/.test(symbol) ? 'either' : 'native';
}

/** Of a binary, by the place where it was loaded. */
const symbolsOf = new Map<string, readonly Code[]>();

/** The symbols of a library as code, in order. One without symbols is one piece of code. */
function librarySymbols(file: string, start: number, end: number, slide: number): readonly Code[] {
  // The clock. A loop that looks at one is JavaScript.
  if (file.startsWith('[')) return [{ start, end, kind: 'javascript' }];
  // Of the C library, V8 and native calls take the same functions.
  if (!file.endsWith('/node')) return [{ start, end, kind: 'either' }];
  const key = `${file} ${start} ${end} ${slide}`;
  let codes = symbolsOf.get(key);
  if (codes === undefined) {
    const symbols = readSymbols(file);
    codes = symbols.flatMap(([address, name], i) => {
      const at = address + slide;
      const next = symbols[i + 1]?.[0];
      if (at < start || at >= end) return [];
      return [{ start: at, end: next === undefined ? end : next + slide, kind: kindOfSymbol(name) }];
    });
    symbolsOf.set(key, codes);
  }
  return codes;
}

function readSymbols(file: string): [number, string][] {
  const { stdout } = spawnSync('nm', ['-n', file], { encoding: 'utf8', maxBuffer: 2 ** 28 });
  return [...stdout.matchAll(/^([0-9a-f]+) [tTwW] (\S+)$/gm)].map((match) => [
    Number.parseInt(match[1]!, 16),
    match[2]!,
  ]);
}

function kindAt(lists: readonly (readonly Code[])[], address: number): Kind | undefined {
  for (const codes of lists) {
    const code = codeAt(codes, address);
    if (code) return code.kind;
  }
  return undefined;
}

function codeAt(codes: readonly Code[], address: number): Code | undefined {
  let low = 0;
  let high = codes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (codes[middle]!.start <= address) low = middle + 1;
    else high = middle;
  }
  const code = codes[low - 1];
  return code && address < code.end ? code : undefined;
}
