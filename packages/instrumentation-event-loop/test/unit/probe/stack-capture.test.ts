import { createHash } from 'node:crypto';
import vm from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { stackCapture, type StackCapture } from '../../../src/probe/stack-capture.js';
import type { Frame } from '../../../src/contract/model.js';

const capture: StackCapture = stackCapture();

function here(): readonly Frame[] {
  return capture(here);
}

describe('the function name', () => {
  class Layer {
    frames: readonly Frame[] = [];
    static build(): readonly Frame[] {
      return here();
    }
    handle(): readonly Frame[] {
      return here();
    }
    get value(): readonly Frame[] {
      return here();
    }
    #secret(): readonly Frame[] {
      return here();
    }
    viaSecret(): readonly Frame[] {
      return this.#secret();
    }
  }
  class Made {
    frames: readonly Frame[];
    constructor() {
      this.frames = here();
    }
  }
  function plain(): readonly Frame[] {
    return here();
  }
  const arrow = (): readonly Frame[] => here();
  const literal = {
    run: (): readonly Frame[] => here(),
  };

  const functions: [string, () => readonly Frame[], RegExp][] = [
    ['a function', plain, /^plain$/],
    ['an arrow function', arrow, /^arrow$/],
    ['a method', () => new Layer().handle(), /^Layer\.handle$/],
    ['a static method', () => Layer.build(), /^(Layer\.)?build$/],
    ['a getter', () => new Layer().value, /^(Layer\.)?get value$/],
    ['a private method', () => new Layer().viaSecret(), /^(Layer\.)?#secret$/],
    ['a constructor', () => new Made().frames, /^new Made$/],
    ['a function of a plain object', () => literal.run(), /^run$/],
    ['an anonymous function', () => ((): readonly Frame[] => here())(), /^$/],
  ];

  test.each(functions)('is that of %s', (_, call, name) => {
    expect(call()[0]?.functionName).toMatch(name);
  });

  test.each(functions)('is that of %s also while an error is formatted', (_, call, name) => {
    const [[frame], [inFormatting]] = [call(), whileFormatting(call)];
    expect(inFormatting?.functionName).toMatch(name);
    const { fileName, lineNumber, columnNumber } = frame!;
    expect(inFormatting).toMatchObject({ fileName, lineNumber, columnNumber, functionLineNumber: 0 });
  });

  test('is also captured of the builtin that calls a callback', () => {
    let frames: readonly Frame[] = [];
    [1].forEach(() => {
      frames = here();
    });
    expect(frames[1]).toMatchObject({ functionName: 'Array.forEach', fileName: '', lineNumber: 0 });
  });
});

/** Calls it while V8 formats the stack of an error, as a logger or a map of sources does for a long time. */
function whileFormatting<T>(run: () => T): T {
  const before = Object.getOwnPropertyDescriptor(Error, 'prepareStackTrace');
  const results: T[] = [];
  Error.prepareStackTrace = () => {
    results.push(run());
    return '';
  };
  try {
    expect(new Error('formatted').stack).toBe('');
  } finally {
    if (before) Object.defineProperty(Error, 'prepareStackTrace', before);
    else Reflect.deleteProperty(Error, 'prepareStackTrace');
  }
  return results[0]!;
}

describe('while the application formats the stack of an error', () => {
  const withoutStart = (frames: readonly Frame[]): Frame[] =>
    frames.map((frame) => ({ ...frame, functionLineNumber: 0, functionColumnNumber: 0 }));

  test('the stack is that of the code that formats it, below it what wanted it', () => {
    const describeError = (): readonly Frame[] => whileFormatting(here);
    const names = describeError().map(({ functionName }) => functionName);
    expect(names).toContain('whileFormatting');
    expect(names.indexOf('describeError')).toBeGreaterThan(names.indexOf('whileFormatting'));
  });

  test('builtins and callers that await are the same', async () => {
    const take = (): readonly Frame[] => here();
    async function inner(): Promise<readonly (readonly Frame[])[]> {
      await Promise.resolve();
      return [[1].map(take)[0]!, whileFormatting(() => [1].map(take)[0]!)];
    }
    async function outer(): Promise<readonly (readonly Frame[])[]> {
      const both = await Promise.all([inner()]);
      return both[0];
    }
    const [stack = [], inFormatting = []] = await outer();
    expect(withoutStart(inFormatting).slice(0, 2)).toEqual(withoutStart(stack).slice(0, 2));
    const ofCallers = (frames: readonly Frame[]): Frame[] => withoutStart(frames.filter(({ isAsync }) => isAsync));
    expect(ofCallers(inFormatting)).toEqual(ofCallers(stack));
    expect(ofCallers(stack).slice(0, 2)).toMatchObject([{ functionName: 'Promise.all' }, { functionName: 'outer' }]);
  });

  test('code that was evaluated as text has a name and no file', () => {
    const text = '(here) => new Function("here", "return (function check() { return here(); })();")(here)';
    const evaluated = vm.runInThisContext(text) as (from: () => readonly Frame[]) => readonly Frame[];
    const [frame] = whileFormatting(() => evaluated(here));
    expect(frame).toMatchObject({ functionName: 'check', fileName: '' });
  });
});

describe('callers that await', () => {
  test('are on the stack, marked as async', async () => {
    async function inner(): Promise<readonly Frame[]> {
      await Promise.resolve();
      return here();
    }
    async function outer(): Promise<readonly Frame[]> {
      const frames = await inner();
      return frames;
    }
    // A frame of Node that runs the microtasks may stand between them.
    const frames = (await outer()).filter(({ fileName }) => !fileName.startsWith('node:'));
    expect(frames.slice(0, 2)).toMatchObject([
      { functionName: 'inner', isAsync: false },
      { functionName: 'outer', isAsync: true },
    ]);
  });

  test('with Promise.all are on the stack behind it', async () => {
    async function inner(): Promise<readonly Frame[]> {
      await Promise.resolve();
      return here();
    }
    async function outer(): Promise<readonly Frame[]> {
      const [frames] = await Promise.all([inner()]);
      return frames;
    }
    const names = (await outer()).filter(({ isAsync }) => isAsync).map(({ functionName }) => functionName);
    expect(names.slice(0, 2)).toEqual(['Promise.all', 'outer']);
  });
});

describe('the position', () => {
  test('is that of the call and of the function that contains it', () => {
    function placed(): readonly Frame[] {
      const before = here().length;
      return before > 0 ? here() : [];
    }
    const [frame] = placed();
    expect(frame!.fileName).toContain('stack-capture.test.ts');
    expect(frame!.lineNumber).toBeGreaterThan(frame!.functionLineNumber);
    expect(frame!.columnNumber).toBeGreaterThan(0);
    expect(frame!.functionColumnNumber).toBeGreaterThan(0);
  });

  test('of two calls in one function has the same function', () => {
    function twice(): (Frame | undefined)[] {
      const [first] = here();
      const [second] = here();
      return [first, second];
    }
    const [first, second] = twice();
    expect(second!.lineNumber).toBeGreaterThan(first!.lineNumber);
    expect(second).toMatchObject({
      functionLineNumber: first!.functionLineNumber,
      functionColumnNumber: first!.functionColumnNumber,
    });
  });
});

describe('the depth', () => {
  test('is bounded: the top of a deep recursion is kept', () => {
    const dive = (depth: number): readonly Frame[] => (depth === 0 ? here() : dive(depth - 1));
    const frames = dive(500);
    expect(frames.length).toBeLessThanOrEqual(130);
    expect(frames.length).toBeGreaterThanOrEqual(120);
    expect(frames.every(({ functionName }) => functionName === 'dive')).toBe(true);
  });
});

describe('long names', () => {
  const call = (name: string, file: string): Frame | undefined => {
    const wrapper = vm.runInThisContext(`({ [${JSON.stringify(name)}](here) { return here(); } })`, { filename: file });
    return (wrapper as Record<string, (from: () => readonly Frame[]) => readonly Frame[]>)[name]?.(here)[0];
  };

  test('a long function name is cut: generated code may have names as long as its source', () => {
    expect(call('f'.repeat(10_000), '/srv/app/a.js')?.functionName).toBe('f'.repeat(1024));
  });

  test('a long file name is cut: a data: URL contains a whole module', () => {
    const file = `data:text/javascript,${'x'.repeat(100_000)}`;
    expect(call('load', file)?.fileName).toBe(file.slice(0, 4096));
  });

  test('a path that a file can have is not cut', () => {
    const file = `/${'directory/'.repeat(400)}a.js`;
    expect(call('f', file)).toMatchObject({ functionName: 'f', fileName: file });
  });
});

describe('where the application limits stack traces', () => {
  const { stackTraceLimit } = Error;
  beforeAll(() => {
    Error.stackTraceLimit = 1;
  });
  afterAll(() => {
    Error.stackTraceLimit = stackTraceLimit;
  });

  test('the captured stack is as deep as before', () => {
    expect(here().length).toBeGreaterThan(3);
  });
});

test('has the hash of the script that runs, of the files for which it is wanted', () => {
  const text = '(run) => { return run(); } // compiled';
  const hashIn = (filename: string): string | undefined => {
    const call = vm.runInThisContext(text, { filename }) as (run: () => readonly Frame[]) => readonly Frame[];
    const take = (): readonly Frame[] => capture(take, (name) => name.endsWith('.ts'));
    return call(take)[0]?.scriptHash;
  };
  expect(hashIn('/srv/app.ts')).toBe(createHash('sha256').update(text).digest('hex'));
  expect(hashIn('/srv/app.js')).toBeUndefined();
});
