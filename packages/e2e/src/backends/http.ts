/** Gets JSON; anything but 2xx is an error that shows the answer. */
export async function getJson(url: URL): Promise<unknown> {
  const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
  const text = await response.text();
  if (!response.ok) throw new Error(`Expected 2xx from ${url.href}, got ${response.status}: ${text.slice(0, 1_000)}`);
  return JSON.parse(text);
}
