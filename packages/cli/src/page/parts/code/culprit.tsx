import type { ComponentChildren, JSX } from 'preact';

import { GUESS_LEGEND, GUESS_MARK } from '../../../model/text/guess.js';
import { cutMiddle, shownName } from '../../../model/text/place.js';
import type { CodeLocation } from '../../../model/types.js';
import { usePlaces } from './places.js';

/** A bundle's file may have a name of a hundred characters. */
const MAX_FILE_WIDTH = 42;

interface FunctionNameProps {
  location: CodeLocation | undefined;
  guess: boolean;
}

/** Name of the function, with a mark if it is a guess. */
export function FunctionName({ location, guess }: FunctionNameProps): JSX.Element {
  return (
    <>
      {guess && (
        <>
          <abbr class="guess" title={GUESS_LEGEND}>
            {GUESS_MARK}
          </abbr>{' '}
        </>
      )}
      {location ? shownName(location.functionName) : 'No stack'}
    </>
  );
}

/** Explains the mark below a table that contains it. */
export function GuessLegend(): JSX.Element {
  return <p class="hint">{GUESS_LEGEND}</p>;
}

interface PlaceTextProps {
  location: CodeLocation;
  /** Links to the line: in the user's editor or, where the commit is known, in the repository. */
  isLink?: boolean;
  /** Address in the repository, where the page knows it already. */
  repositoryUrl?: string | undefined;
}

/** Where the function is. Too long for its cell, its directories are cut: the file, line and column stay. */
export function PlaceText({ location, isLink = false, repositoryUrl }: PlaceTextProps): JSX.Element {
  const { placeOf, urlOf } = usePlaces();
  const url = isLink ? (urlOf(location) ?? repositoryUrl) : undefined;
  const { directories, file, position } = placeOf(location);
  const text = (
    <span class="place" title={`${location.filePath}:${location.lineNumber}:${location.columnNumber}`}>
      {directories !== '' && <span class="directories">{directories}</span>}
      <span class="file">{cutMiddle(file, MAX_FILE_WIDTH)}</span>
      {position !== '' && <span class="position">{position}</span>}
    </span>
  );
  if (url === undefined) return text;
  return (
    <PlaceLink url={url} name={directories + file + position}>
      {text}
    </PlaceLink>
  );
}

interface PlaceLinkProps {
  url: string;
  /** Where the content is in parts, between which it would be read with spaces. */
  name?: string;
  children: ComponentChildren;
}

/** Leaves the page open: an editor comes to the front, the repository in a new tab. */
export function PlaceLink({ url, name, children }: PlaceLinkProps): JSX.Element {
  const isPage = /^https?:/.test(url);
  return (
    <a href={url} aria-label={name} {...(isPage && { target: '_blank', rel: 'noreferrer' })}>
      {children}
    </a>
  );
}
