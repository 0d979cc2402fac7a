// A program that hangs as long as the child process lasts for which it waits: document conversion with `execFileSync`.
import { execFileSync } from 'node:child_process';

function convert(pages) {
  let digits = 0;
  let words = 0;
  for (let page = 0; page < pages; page++) {
    digits += String(Math.sqrt(page)).length;
    words += `page ${page} of ${pages}`.split(' ').length;
  }
  execFileSync('sleep', ['10']);
  return digits + words;
}

// The watchdog starts with the first heartbeat after start-up.
setTimeout(() => {
  convert(3_000_000);
  console.log('converted');
}, 1_500);
setInterval(() => undefined, 60_000);
