import { Piscina } from 'piscina';

// The defaults of a pool, and a synchronous function as its task.
const pool = new Piscina({ filename: new URL('task.mjs', import.meta.url).href, maxThreads: 2 });
const sizes = Array.from({ length: 9 }, (_, index) => 200_000_000 + index);
console.log(await Promise.all(sizes.map((size) => pool.run(size))));
await pool.destroy();
