/**
 * A recursive-descent parser of a query language goes back and tries every alternative, compiled from TypeScript.
 * @culprit parseOr parseAnd parseTerm parse
 * @cause javascript gc
 * @parent search
 * @resource Immediate
 * @flags --enable-source-maps
 */
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

interface Parsed {
  readonly end: number;
  readonly matches: number;
}

// <culprit>
class QueryParser {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  parse(): number {
    return this.parseOr(0).matches;
  }

  parseOr(at: number): Parsed {
    const left = this.parseAnd(at);
    if (this.#text[left.end] !== '|') return this.parseAnd(at);
    const right = this.parseOr(left.end + 1);
    return { end: right.end, matches: left.matches + right.matches };
  }

  parseAnd(at: number): Parsed {
    const left = this.parseTerm(at);
    if (this.#text[left.end] !== '&') return left;
    const right = this.parseAnd(left.end + 1);
    return { end: right.end, matches: left.matches * right.matches };
  }

  parseTerm(at: number): Parsed {
    if (this.#text[at] !== '(') return { end: at + 1, matches: 1 };
    const inner = this.parseOr(at + 1);
    return { end: inner.end + 1, matches: inner.matches };
  }
}
// </culprit>

const query = `${'('.repeat(18)}a|b${')'.repeat(18)}`;

trace.getTracer('search').startActiveSpan('search', (span) => {
  setTimeout(() => {
    setImmediate(() => {
      truth.begin();
      const until = performance.now() + 400;
      while (performance.now() < until) new QueryParser(query).parse();
      truth.end();
      span.end();
    });
  }, 300);
});
