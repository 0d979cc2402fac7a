/**
 * The data that the element of the page holds: JSON, as gzip in base64. Undefined if there is no such element. The CLI
 * that wrote the page wrote the data, so it is of the type that the id stands for.
 */
export async function embedded<T>(id: string): Promise<T | undefined> {
  const base64 = document.getElementById(id)?.textContent.trim() ?? '';
  if (base64 === '') return undefined;
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return JSON.parse(await new Response(stream).text()) as T;
}
