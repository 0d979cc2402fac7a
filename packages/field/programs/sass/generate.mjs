import { writeFileSync } from 'node:fs';

const variants = Array.from(
  { length: 1500 },
  (_, index) =>
    `.box-${index} { @for $i from 1 through 12 { .c-#{$i} { width: math.percentage(math.div($i, 12)); &:hover { color: color.scale(#336699, $lightness: ${index % 50} * 1%); } } } }`,
);
writeFileSync('entry.scss', `@use 'sass:color';\n@use 'sass:math';\n${variants.join('\n')}\n`);
