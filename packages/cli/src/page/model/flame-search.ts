import type { FlameFrame, FlameTree } from '../../model/stacks/flame.js';

/** Whether the name or place of the frame contains the text; case is ignored. An empty text matches nothing. */
export function matchesText({ name, place = '' }: FlameFrame, text = ''): boolean {
  const wanted = text.trim().toLowerCase();
  return wanted !== '' && `${name}\n${place}`.toLowerCase().includes(wanted);
}

/**
 * The outermost matching frames: their values are the time of the stacks that contain a match. A frame within another
 * matching one does not count twice.
 */
export function matchingFrames<N extends FlameTree<N>>(root: N, text: string): N[] {
  if (matchesText(root, text)) return [root];
  return root.children.flatMap((child) => matchingFrames(child, text));
}
