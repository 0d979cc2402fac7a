import { WeakMap } from '../built-ins.js';
import { plainProperty } from './plain-property.js';

// Names are read inside code that V8 has interrupted, perhaps within a regular expression, so none is executed here.

const MAX_LENGTH = 200;

/** Route of a Fastify request, by Node's request object. */
const fastifyRoutes = new WeakMap<object, string>();

export function setFastifyRoute(request: object, route: string): void {
  fastifyRoutes.set(request, route);
}

/**
 * `GET /runs/:id`, or with the path where no route is known or the route is that of all requests, without its query;
 * undefined for what is no request.
 */
export function nameOfRequest(request: unknown): string | undefined {
  const route = fastifyRoutes.get(request as object) ?? expressRoute(request);
  const name = nameByPath(request);
  const byRoute = route === undefined ? undefined : nameOfRoute(plainProperty(request, 'method'), route);
  return name === undefined ? undefined : (byRoute ?? name);
}

/** `GET /runs/7`, without the query; undefined for what is no request. */
export function nameByPath(request: unknown): string | undefined {
  const method = plainProperty(request, 'method');
  const url = plainProperty(request, 'originalUrl') ?? plainProperty(request, 'url');
  return typeof method !== 'string' || typeof url !== 'string' ? undefined : title(method, pathOf(url));
}

/** Undefined where the route is that of all requests. */
export function nameOfRoute(method: unknown, route: string): string | undefined {
  return typeof method !== 'string' || isCatchAll(route) ? undefined : title(method, route);
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

/**
 * Whether the route is that of all requests, such as `*`, `/*`, `/{*splat}` and `(.*)`: a framework, such as React Router
 * or Angular, stands behind it, with routes of its own.
 */
function isCatchAll(route: string): boolean {
  let rest = route;
  for (const start of ['/', '{', '/', '(', '.']) if (rest.startsWith(start)) rest = rest.slice(1);
  return rest.startsWith('*') && !rest.includes('/') && !rest.includes('.');
}

const SCHEMES = ['http://', 'https://'];

/**
 * Without the server's address, which a request to a proxy has, and without the query: it may contain personal data, and
 * each one would be another request.
 */
function pathOf(url: string): string {
  const scheme = SCHEMES.find((start) => url.slice(0, start.length).toLowerCase() === start);
  const path = scheme === undefined ? url : from(url.slice(scheme.length), ['/', '?', '#']);
  return path.slice(0, path.length - from(path, ['?', '#']).length) || '/';
}

/** The text from the first of these characters on. */
function from(text: string, characters: readonly string[]): string {
  const places = characters.map((character) => text.indexOf(character)).filter((place) => place !== -1);
  return text.slice(Math.min(text.length, ...places));
}

function title(method: string, path: string): string {
  return `${method} ${path}`.slice(0, MAX_LENGTH);
}
