/** Gets JSON. Throws an error with the answer when the status is not 2xx. */
export async function getJson(url: URL): Promise<unknown> {
  const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
  const text = await response.text();
  if (!response.ok) throw new Error(`Expected 2xx from ${url.href}, got ${response.status}: ${text.slice(0, 1_000)}`);
  return JSON.parse(text);
}
