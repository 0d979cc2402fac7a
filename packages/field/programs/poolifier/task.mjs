import { ThreadWorker } from 'poolifier';

function sieve({ limit }) {
  const composite = new Uint8Array(limit);
  let count = 0;
  for (let number = 2; number < limit; number++) {
    if (composite[number]) continue;
    count++;
    for (let multiple = number * 2; multiple < limit; multiple += number) composite[multiple] = 1;
  }
  return count;
}

export default new ThreadWorker(sieve);
