import { existsSync } from 'node:fs';

/** Where browsers of the Chromium family are installed; no npm package contains one. */
const places = [
  process.env['CHROMIUM_PATH'] ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** Path of the browser for the tests of pages, or undefined. */
export function findChromium() {
  return places.find((place) => existsSync(place));
}
