const { isMainThread, Worker } = require('node:worker_threads');

if (isMainThread) for (let count = 0; count < 2; count++) new Worker(__filename);
else setTimeout(() => undefined, 200);
