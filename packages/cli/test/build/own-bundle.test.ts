import { readFileSync } from 'node:fs';

import { expect, test } from '@jest/globals';

test.each(['preload', 'agent'])('dist/%s.cjs, which has no code of a program, says so to all of its code', (name) => {
  const text = readFileSync(new URL(`../../dist/${name}.cjs`, import.meta.url), 'utf8');
  expect(text).toContain('isOwnBundle:!0');
  // A text within it, which V8 compiles later, would ask for a variable that no build replaces.
  expect(text).not.toContain('LOOPWATCH_OWN_BUNDLE');
});
