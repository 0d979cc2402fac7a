/** The page as Vite builds it, in `dist` beside the bundle of the CLI. */
export const PAGE_FILE = new URL('./page.html', import.meta.url);
