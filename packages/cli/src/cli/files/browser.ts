/** Opens the address. A machine without a browser is no failure: the address is printed, too. It never rejects. */
export async function showInBrowser(url: string, print: (line: string) => void): Promise<void> {
  try {
    const browser = await (await import('open')).default(url);
    browser.on('error', () => undefined);
  } catch (error) {
    print(`Cannot open the browser: ${error instanceof Error ? error.message : String(error)}`);
  }
}
