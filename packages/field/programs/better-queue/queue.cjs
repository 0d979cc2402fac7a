const Queue = require('better-queue');

function priceJob({ id, size }) {
  let total = 0;
  for (let step = 0; step < size; step++) total = (total * 31 + (step ^ id)) >>> 0;
  return total;
}

const queue = new Queue((job, done) => done(null, priceJob(job)), { concurrent: 2, afterProcessDelay: 5 });
let sum = 0;
queue.on('task_finish', (_id, result) => {
  sum += result;
});
queue.on('drain', () => {
  console.log(sum);
});
for (let id = 0; id < 8; id++) queue.push({ id, size: id % 2 === 0 ? 150_000_000 : 1000 });
