const workerpool = require('workerpool');

function countPrimes(limit) {
  const composite = new Uint8Array(limit);
  let count = 0;
  for (let number = 2; number < limit; number++) {
    if (composite[number]) continue;
    count++;
    for (let multiple = number * 2; multiple < limit; multiple += number) composite[multiple] = 1;
  }
  return count;
}

async function main() {
  for (const workerType of ['thread', 'process']) {
    const pool = workerpool.pool({ maxWorkers: 2, workerType });
    const limits = Array.from({ length: 4 }, (_, index) => 20_000_000 + index);
    console.log(workerType, await Promise.all(limits.map((limit) => pool.exec(countPrimes, [limit]))));
    await pool.terminate();
  }
}

main();
