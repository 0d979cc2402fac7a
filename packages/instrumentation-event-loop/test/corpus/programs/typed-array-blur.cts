/**
 * A thumbnail is blurred pixel by pixel, compiled from TypeScript and run without source maps.
 * @culprit blur
 * @file typed-array-blur.cjs
 * @cause javascript
 * @parent thumbnail
 * @resource Timeout
 */
import { trace } from '@opentelemetry/api';
import truth = require('../kit/truth.cjs');

interface Image {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8ClampedArray;
}

const photo: Image = {
  width: 400,
  height: 300,
  pixels: new Uint8ClampedArray(400 * 300).map((_, index) => index % 255),
};

// <culprit>
function blur({ width, height, pixels }: Image): Image {
  const blurred = new Uint8ClampedArray(pixels.length);
  for (let y = 1; y < height - 1; y += 1) {
    for (let x = 1; x < width - 1; x += 1) {
      let sum = 0;
      for (let dy = -1; dy <= 1; dy += 1) {
        for (let dx = -1; dx <= 1; dx += 1) sum += pixels[(y + dy) * width + x + dx]!;
      }
      blurred[y * width + x] = sum / 9;
    }
  }
  return { width, height, pixels: blurred };
}
// </culprit>

trace.getTracer('photos').startActiveSpan('thumbnail', (span) => {
  setTimeout(() => {
    truth.begin();
    const until = performance.now() + 400;
    let image = photo;
    while (performance.now() < until) image = blur(image);
    truth.end();
    span.end();
  }, 300);
});
