import { cutMiddle, fitPlace, minPlaceWidth, type Place, placeOf } from '../../model/text/place.js';
import { textWidth } from '../../model/text/text-width.js';
import type { CodeLocation } from '../../model/types.js';
import type { Colors } from './colors.js';
import { printable, type Segment } from './line.js';

interface CulpritStyle {
  readonly colors: Colors;
  /** Paths below this directory are shown relative to it. */
  readonly directory: string;
}

/** Less of a function's name would not be recognised. */
const MIN_NAME_WIDTH = 12;
/** Its width in a terminal that is too narrow even for that. */
const LEAST_NAME_WIDTH = 4;

/** Function and place in the given width. They are cut in the middle, the directories first; line and column stay. */
export function culpritSegments(
  name: string,
  location: CodeLocation,
  { colors, directory }: CulpritStyle,
  width = Infinity,
): Segment[] {
  const place = printablePlace(location, directory);
  const cleanName = printable(name);
  const besideFile = width - 1 - textWidth(place.file) - place.position.length;
  const besideShortFile = Math.min(MIN_NAME_WIDTH, width - 1 - minPlaceWidth(place));
  const shownName = cutMiddle(cleanName, Math.max(LEAST_NAME_WIDTH, besideShortFile, besideFile));
  return [
    { text: shownName, style: colors.bold },
    { text: ' ' },
    { text: fitPlace(place, Math.max(0, width - 1 - textWidth(shownName))), style: colors.cyan },
  ];
}

/** The smallest width in which function and place can still be recognised. */
export function minCulpritWidth(name: string, location: CodeLocation, directory: string): number {
  return Math.min(textWidth(printable(name)), MIN_NAME_WIDTH) + 1 + minPlaceWidth(printablePlace(location, directory));
}

function printablePlace({ filePath, ...location }: CodeLocation, directory: string): Place {
  return placeOf({ ...location, filePath: printable(filePath) }, directory);
}
