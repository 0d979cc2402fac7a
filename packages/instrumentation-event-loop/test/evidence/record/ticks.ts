import { readFileSync } from 'node:fs';

/** What kind of code ran. */
export type Kind = 'javascript' | 'builtin' | 'native' | 'gc';

export interface Tick {
  /** Since V8 has started. */
  readonly atMs: number;
  readonly kind: Kind;
}

/** How many ticks saw each kind of code. */
export type Ticks = Readonly<Record<Kind, number>>;

export function countTicks(ticks: readonly Tick[]): Ticks {
  const count = (kind: Kind): number => ticks.filter((tick) => tick.kind === kind).length;
  return { javascript: count('javascript'), builtin: count('builtin'), native: count('native'), gc: count('gc') };
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
 * The ticks of a log of `--prof`. Each has the address at which the thread ran. It is in code that V8 has made of
 * JavaScript, in a builtin of V8's library, in V8's support of JavaScript, or, where V8 has made none, in C++.
 */
export function readTicks(file: string): Tick[] {
  const codes = new Map<number, Code>();
  const ticks: Tick[] = [];
  let sorted: Code[] | undefined;
  for (const line of readFileSync(file, 'latin1').split('\n')) {
    const fields = line.split(',');
    if (fields[0] === 'code-creation') {
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
      const kind = state === GC ? 'gc' : (codeAt(sorted, Number(fields[1]))?.kind ?? kindOfForeign(state));
      ticks.push({ atMs: Number(fields[2]) / 1000, kind });
    }
  }
  return ticks;
}

/** Code that is not V8's: C++, and what V8 does to make code of JavaScript. */
function kindOfForeign(state: number): Kind {
  return COMPILING.has(state) ? 'javascript' : 'native';
}

/** Builtins that do the work of a function of the language's library, by the start of their name. */
const LIBRARY = /^(Array|String|TypedArray|Map|Set|WeakMap|WeakSet|RegExp|Object|Number|Math|BigInt|Date|Promise|Symbol|Reflect|Proxy|DataView|FindOrderedHash|Generic(Array|Json))/;
/** Those that only support JavaScript, although their names begin as the others do. */
const SUPPORT = /^(StringAdd|StringEqual|ArrayConstructor|ArrayNArguments|ArrayNoArgument|ArraySingleArgument|Promise|NumberTo|BigIntAdd|ProxyGet|ProxySet)/;

function kindOfCode(type: string, name: string): Kind {
  if (type === 'RegExp') return 'native';
  if (type !== 'Builtin') return 'javascript';
  return LIBRARY.test(name) && !SUPPORT.test(name) ? 'builtin' : 'javascript';
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
