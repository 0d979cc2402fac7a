import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';

import { evaluatesText, publicCommand } from '../../src/model/processes/public-command.js';

describe('a command line that is passed on', () => {
  test.each([
    ['node app.js --auth abc', 'node app.js'],
    ['node app.js abc', 'node app.js'],
    [
      '/usr/bin/node --max-old-space-size=4096 --require ./a.cjs --enable-source-maps src/app.js -p abc',
      '/usr/bin/node src/app.js',
    ],
    ['node --title abc --env-file .env app.js', 'node app.js'],
    ['node -- app.js abc', 'node app.js'],
    ['node -e abc abc', 'node'],
    ['node --no-warnings -pe abc abc', 'node'],
    ['node --eval=abc abc', 'node'],
    ['node - abc', 'node'],
    ['node --import', 'node'],
    ['tsx watch.ts abc', 'tsx watch.ts'],
    ['npm run start -- --token abc', 'npm'],
    ['env DB_PASSWORD=abc node app.js', 'env'],
    ['sh -c abc', 'sh'],
    ['./my-program abc', './my-program'],
    ['', ''],
  ])('is the program: %s', (command, shown) => {
    expect(publicCommand(command.split(' ')).join(' ')).toBe(shown);
  });

  test('has a path with blanks as it is', () => {
    expect(publicCommand(['./my program'])).toEqual(['./my program']);
    expect(publicCommand([])).toEqual(['']);
  });

  // Whatever it is called and how it is given: behind the program, before it, as one word with its option.
  test('has no secret that is an argument', () => {
    const option = fc.string().map((text) => `--${text.replaceAll(/[\s-]/g, '')}`);
    fc.assert(
      fc.property(fc.array(option), option, (options, name) => {
        const secret = 's3cret';
        for (const words of [
          ['node', 'app.js', ...options, name, secret],
          ['node', 'app.js', ...options, `${name}=${secret}`],
          ['node', ...options.map((each) => `${each}=${secret}`), 'app.js'],
          ['node', '-e', secret, ...options, secret],
          ['curl', '--header', `X-Api-Key: ${secret}`, `https://example.org/?sig=${secret}`],
        ]) {
          expect(publicCommand(words).join(' ')).not.toContain(secret);
        }
      }),
    );
  });

  test('with long words is known at once', () => {
    expect(publicCommand(['node', '--a'.repeat(100_000), 'app.js', 'x'.repeat(100_000)])).toEqual(['node', 'app.js']);
  });
});

test.each([
  [['-e', 'text'], true],
  [['--no-warnings', '-pe', 'text'], true],
  [['--print=text'], true],
  [['--enable-source-maps', '--env-file=x'], false],
])('whether Node.js with %j evaluates a text: %s', (execArgv, expected) => {
  expect(evaluatesText(execArgv)).toBe(expected);
});
