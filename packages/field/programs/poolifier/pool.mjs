import { fileURLToPath } from 'node:url';

import { FixedThreadPool } from 'poolifier';

const pool = new FixedThreadPool(2, fileURLToPath(new URL('task.mjs', import.meta.url)));
const tasks = Array.from({ length: 8 }, (_, index) => pool.execute({ limit: 50_000_000 + index }));
console.log(await Promise.all(tasks));
await pool.destroy();
