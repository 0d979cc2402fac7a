import { existsSync } from 'node:fs';

/** Where browsers of the Chromium family are; npm brings none that works without a download of its own. */
const places = [
  process.env['CHROMIUM_PATH'] ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** Path of the browser for the tests of pages; undefined where there is none. */
export function findChromium() {
  return places.find((place) => existsSync(place));
}
