const { spawnSync } = require('node:child_process');
const path = require('node:path');

for (let count = 0; count < 3; count++) spawnSync(process.execPath, [path.join(__dirname, 'hello.cjs')]);
