const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/i;

/**
 * The URL as this browser can open it. A loopback name means the machine of `loopwatch serve`: a browser on another machine
 * has to use the name under which it has opened the page.
 */
export function reachableUrl(url: string, pageHost: string): string {
  if (!URL.canParse(url) || pageHost === '' || LOOPBACK.test(pageHost)) return url;
  const parsed = new URL(url);
  if (!LOOPBACK.test(parsed.hostname)) return url;
  parsed.hostname = pageHost;
  return parsed.href.replace(/\/$/, '');
}
