/** Half of a pair of surrogates, which `encodeURI` and `encodeURIComponent` refuse with an error. */
const LONE_SURROGATE = /\p{Cs}/gu;

/** The text without halves of surrogate pairs, as encoders and files of text have it. */
export function wellFormed(text: string): string {
  return text.replace(LONE_SURROGATE, '\ufffd');
}

/** A part of an address. Names of functions and files can hold any string; no one of them is an error. */
export function encodePart(text: string): string {
  return encodeURIComponent(wellFormed(text));
}
