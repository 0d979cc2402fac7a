function block() {
  const end = performance.now() + 400;
  while (performance.now() < end);
}
setTimeout(block, 300);
