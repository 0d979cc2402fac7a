import { setTimeout as sleep } from 'node:timers/promises';

await sleep(1);
console.log('hello');
