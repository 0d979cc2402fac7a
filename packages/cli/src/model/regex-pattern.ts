/**
 * What the text of a pattern shows: `ambiguous`, it repeats a group that can match the same text in several ways;
 * `repeating`, it has a repetition without an end, which costs the square of the text or its length; `bounded`, neither.
 */
export type PatternShape = 'ambiguous' | 'repeating' | 'bounded';

interface Alternative {
  hasRepetition: boolean;
  /** It has a part that matches once for each repetition, and so shows where the next one begins. */
  isDelimited: boolean;
}

const ATOM = /\\(?:[pPux]\{[^}]*\}|.)|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?|[)|^$]|[^]/uy;
const QUANTIFIER = /[*+?]\??|\{\d+(?:,\d*)?\}\??/y;
const ENDLESS = /^(?:[*+]|\{\d+,\})/;
const OPTIONAL = /^(?:[*?]|\{0,)/;

/** The shape of a pattern's source, as it stands between the slashes. */
export function shapeOfPattern(source: string): PatternShape {
  const open: Alternative[][] = [[fresh()]];
  let isAmbiguous = false;
  let hasRepetition = false;
  let position = 0;
  const next = (pattern: RegExp): string => {
    pattern.lastIndex = position;
    const text = pattern.exec(source)?.[0] ?? '';
    position += text.length;
    return text;
  };

  while (position < source.length) {
    const atom = next(ATOM);
    if (atom === '') return 'repeating'; // No pattern that this reads.
    const alternatives = open.at(-1)!;
    const current = alternatives.at(-1)!;
    if (atom === '|') alternatives.push(fresh());
    else if (atom.startsWith('(')) open.push([fresh()]);
    else if (atom !== '^' && atom !== '$') {
      const isGroup = atom === ')' && open.length > 1;
      const body = isGroup ? open.pop()! : [];
      const quantifier = next(QUANTIFIER);
      const isEndless = ENDLESS.test(quantifier);
      hasRepetition ||= isEndless;
      isAmbiguous ||= isEndless && body.some((each) => each.hasRepetition && !each.isDelimited);
      const owner = isGroup ? open.at(-1)!.at(-1)! : current;
      owner.hasRepetition ||= isEndless || body.some((each) => each.hasRepetition);
      owner.isDelimited ||= quantifier === '' && (isGroup ? body.every((each) => each.isDelimited) : true);
      owner.isDelimited ||= quantifier !== '' && !isEndless && !OPTIONAL.test(quantifier);
    }
  }
  if (isAmbiguous) return 'ambiguous';
  return hasRepetition ? 'repeating' : 'bounded';
}

function fresh(): Alternative {
  return { hasRepetition: false, isDelimited: false };
}

const LITERAL = /(?:^|[(,=:[!&|?{};\s])\/((?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+)\/[dgimsuvy]*/;
/** `TAG.test(`, `text.match(TAG`, `text.replace(TAG,` */
const NAMED_PATTERN =
  /([\w$]+)\.(?:test|exec)\(|\.(?:match|matchAll|replace|replaceAll|search|split)\(\s*([\w$]+)\s*[,)]/;

/** The pattern that the line uses: its source, or `null` where it is a text; undefined where the lines do not show it. */
export function patternOf(line: string, lines: Iterable<string>): string | null | undefined {
  const literal = LITERAL.exec(line)?.[1];
  if (literal !== undefined) return literal;
  if (/\.(?:replace|replaceAll|split)\(\s*['"`]/.test(line)) return null;
  const [, tested, passed] = NAMED_PATTERN.exec(line) ?? [];
  const name = tested ?? passed;
  if (name === undefined) return undefined;
  for (const each of lines) {
    const [before, after] = each.split(/=\s*(?=\/)/, 2);
    if (after !== undefined && before!.trimEnd().endsWith(name)) return LITERAL.exec(after)?.[1];
  }
  return undefined;
}
