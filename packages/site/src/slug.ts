/** Anchors as GitHub makes them, so that a link works in both places. One of these for each page. */
export function anchors(): (heading: string) => string {
  const seen = new Map<string, number>();
  return (heading) => {
    const slug = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
      .replaceAll(' ', '-');
    const before = seen.get(slug);
    seen.set(slug, (before ?? -1) + 1);
    return before === undefined ? slug : `${slug}-${before + 1}`;
  };
}
