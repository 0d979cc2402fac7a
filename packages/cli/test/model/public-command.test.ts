import { describe, expect, test } from '@jest/globals';

import { publicCommand } from '../../src/model/public-command.js';

describe('a command line that is passed on', () => {
  test.each([
    ['node app.js --token=abc', 'node app.js --token=***'],
    ['node app.js --token abc --port 80', 'node app.js --token *** --port 80'],
    ['node app.js --npm-token abc', 'node app.js --npm-token ***'],
    ['node app.js --apiKey=abc --clientSecret abc', 'node app.js --apiKey=*** --clientSecret ***'],
    ['cross-env DB_PASSWORD=abc NODE_ENV=test node app.js', 'cross-env DB_PASSWORD=*** NODE_ENV=test node app.js'],
    ['prisma --url postgres://me:p:a@ss@db:5432/x', 'prisma --url postgres://me:***@db:5432/x'],
    ['redis-cli -u redis://:abc@db', 'redis-cli -u redis://:***@db'],
    ['fetch https://example.org/?a=1&access_token=abc&b=2', 'fetch https://example.org/?a=1&access_token=***&b=2'],
    ['app --token --verbose', 'app --token --verbose'],
  ])('has no secret: %s', (command, shown) => {
    expect(publicCommand(command.split(' ')).join(' ')).toBe(shown);
  });

  test.each([
    ["TOKEN='a b' node x.js && node y.js --password=c", 'TOKEN=*** node x.js && node y.js --password=***'],
    ['curl -H "Authorization: Bearer abc" https://x.org', 'curl -H "Authorization: Bearer ***" https://x.org'],
  ])('has none within the text of a shell: %s', (text, shown) => {
    expect(publicCommand(['sh', '-c', text])).toEqual(['sh', '-c', shown]);
  });

  // Where a search begins again at each character, one of them takes half a minute.
  test.each(['y', 'a.', '="', 'authorization: ', 'a://b:', '--token'])('has long words of %j, at once', (part) => {
    const word = part.repeat(100_000 / part.length);
    expect(publicCommand(['node', 'app.js', word])).toHaveLength(3);
  });

  test.each([
    'node --max-old-space-size=4096 --require ./a.cjs app.js --port=80',
    'tool --no-password app.js',
    'tool --keyword=abc --bypass=1 --monkey banana --tokenizer bert',
    'jest --testPathPattern=keys --passWithNoTests --pass-through x',
    'node https://example.org:8080/a@b/c user@example.org:path',
    'node -e x=1;y=2',
  ])('is otherwise as it was: %s', (command) => {
    expect(publicCommand(command.split(' '))).toEqual(command.split(' '));
  });
});
