import { mkdirSync, writeFileSync } from 'node:fs';

mkdirSync('images', { recursive: true });
for (let image = 0; image < 3; image++) {
  const paths = Array.from(
    { length: 4000 },
    (_, index) =>
      `<g transform="translate(${index % 7}, 0)"><path style="fill:#ff0000" d="M ${index}.12345 10.98765 L ${index + 5} ${image} C 1.11111 2.22222 3.33333 4.44444 5.55555 ${index}.5 Z"/></g>`,
  );
  writeFileSync(
    `images/${image}.svg`,
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 5000 100">${paths.join('')}</svg>`,
  );
}
