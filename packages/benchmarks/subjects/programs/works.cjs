const until = performance.now() + 1000;
function step() {
  const end = performance.now() + 20;
  while (performance.now() < end);
  if (performance.now() < until) setTimeout(step, 5);
}
step();
