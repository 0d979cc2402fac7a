const { createHash } = require('node:crypto');

function digest(rounds) {
  let text = process.argv[2];
  for (let round = 0; round < rounds; round++) text = createHash('sha256').update(text).digest('hex');
  return text;
}

setTimeout(() => {
  console.log(digest(400_000));
}, 200);
