const test = require('node:test');

test('adds', () => undefined);
test('waits', () => new Promise((resolve) => setTimeout(resolve, 50)));
