import { plainProperty } from './plain-property.js';

const MAX_LENGTH = 200;

/** Route of a Fastify request, by Node's request object. */
const fastifyRoutes = new WeakMap<object, string>();

export function setFastifyRoute(request: object, route: string): void {
  fastifyRoutes.set(request, route);
}

/** `GET /runs/:id`, or with the path where no route is known, without its query; undefined for what is no request. */
export function nameOfRequest(request: unknown): string | undefined {
  const method = plainProperty(request, 'method');
  const url = plainProperty(request, 'originalUrl') ?? plainProperty(request, 'url');
  if (typeof method !== 'string' || typeof url !== 'string') return undefined;
  return title(method, fastifyRoutes.get(request as object) ?? expressRoute(request) ?? pathOf(url));
}

/** Name by the headers of an HTTP/2 stream; undefined for what is no such object. */
export function nameOfHeaders(headers: unknown): string | undefined {
  const method = plainProperty(headers, ':method');
  const path = plainProperty(headers, ':path');
  return typeof method === 'string' && typeof path === 'string' ? title(method, pathOf(path)) : undefined;
}

function expressRoute(request: unknown): string | undefined {
  const path = plainProperty(plainProperty(request, 'route'), 'path');
  if (typeof path !== 'string') return undefined;
  const base = plainProperty(request, 'baseUrl');
  // Other frameworks have the address of the server there, as Sails does.
  return typeof base === 'string' && base.startsWith('/') ? `${base}${path === '/' ? '' : path}` : path;
}

/** A query may contain personal data, and each one would be another request. */
function pathOf(url: string): string {
  return url.replace(/^https?:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '') || '/';
}

function title(method: string, path: string): string {
  return `${method} ${path}`.slice(0, MAX_LENGTH);
}
