import { Jimp } from 'jimp';

async function resize(size) {
  const image = new Jimp({ width: size, height: size, color: 0x336699ff });
  image.scan((x, y, index) => {
    image.bitmap.data[index] = (x * y) % 256;
  });
  image
    .resize({ w: size / 2, h: size / 2 })
    .blur(4)
    .greyscale();
  const png = await image.getBuffer('image/png');
  const copy = await Jimp.read(png);
  console.log(size, copy.bitmap.width, copy.bitmap.height, copy.getPixelColor(10, 10));
}

// Not at the top level: the evaluation of the entry point is start-up.
setTimeout(async () => {
  for (const size of [1200, 900]) await resize(size);
}, 10);
