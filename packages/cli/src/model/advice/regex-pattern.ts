/**
 * What the text of a pattern shows: `ambiguous`, it repeats a group that can match the same text in several ways;
 * `repeating`, it has a repetition of no fixed number, which may cost the square of the text or only its length; `bounded`,
 * neither.
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
const OF_ANY_NUMBER = /^(?:[*+]|\{\d+,)/;
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
      hasRepetition ||= OF_ANY_NUMBER.test(quantifier);
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

const LITERAL = /(?:^|[(,=:[!&|?{};\s])\/((?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+)\/[dgimsuvy]*/g;
/** `TAG.test(`, `text.match(TAG`, `text.replace(TAG,` */
const NAMED_PATTERN =
  /([\w$]+)\.(?:test|exec)\(|\.(?:match|matchAll|replace|replaceAll|search|split)\(\s*([\w$]+)\s*[,)]/;
/** A text, which no engine for regular expressions sees. */
const TEXT = /\.(?:replace|replaceAll|split)\(\s*['"`]/;

/**
 * The shape of the pattern that a line uses; `repeating` for several of different shapes, any of which may have the time.
 * `null` where it is a text, undefined where the lines do not show it. `above`: the lines up to it, where its pattern may
 * be defined.
 */
export function shapeIn(line: string, above: readonly string[]): PatternShape | null | undefined {
  const shapes = new Set(literalsIn(line).map(shapeOfPattern));
  if (shapes.size === 1) return [...shapes][0];
  if (shapes.size > 1) return 'repeating';
  if (TEXT.test(line)) return null;
  const [, tested, passed] = NAMED_PATTERN.exec(line) ?? [];
  const name = tested ?? passed;
  const definition = name === undefined ? undefined : above.find((text) => definesPattern(text, name));
  const [pattern] = literalsIn(definition ?? '');
  return pattern === undefined ? undefined : shapeOfPattern(pattern);
}

function literalsIn(line: string): string[] {
  return [...line.matchAll(LITERAL)].map(([, pattern]) => pattern!);
}

function definesPattern(text: string, name: string): boolean {
  const [before = '', after] = text.split(/=\s*(?=\/)/, 2);
  return after !== undefined && new RegExp(`(?:^|[^\\w$])${name.replaceAll('$', '\\$')}\\s*$`).test(before);
}
