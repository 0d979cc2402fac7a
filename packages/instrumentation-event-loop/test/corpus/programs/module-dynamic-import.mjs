/**
 * The same by `import()`: the module's top level runs in a microtask of the loader.
 * @culprit *
 * @file lib/heavy-locale.mjs
 * @cause javascript
 * @parent any
 */
import { setTimeout as sleep } from 'node:timers/promises';

await sleep(300);
const { messages } = await import('./lib/heavy-locale.mjs');
messages.get('hello');
