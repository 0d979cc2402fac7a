import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

import type { RequestTarget } from '../http/target.js';

/** Sets the token; without it, one is made at each start. */
export const TOKEN_VARIABLE = 'LOOPWATCH_SERVE_TOKEN';
const QUERY_FIELD = 'token';
const MIN_CHARACTERS = 16;

/**
 * The token that page and data want; undefined if they want none. Beyond loopback, there is always one. Throws if the one of
 * the environment is too short.
 */
export function tokenFor(isLoopback: boolean, given = ''): string | undefined {
  if (given !== '') {
    if (given.length >= MIN_CHARACTERS && /^[\w.~-]+$/.test(given)) return given;
    throw new Error(
      `Expected at least ${MIN_CHARACTERS} letters, digits or characters of -._~ in ${TOKEN_VARIABLE}, got ` +
        `${given.length} characters. Make one with: openssl rand -hex 32`,
    );
  }
  return isLoopback ? undefined : randomBytes(32).toString('base64url');
}

/** The address of the page, with the token that it wants. */
export function addressWith(url: string, token: string | undefined): string {
  return token === undefined ? url : `${url}/?${QUERY_FIELD}=${token}`;
}

export type TokenGate = (request: IncomingMessage, response: ServerResponse, target: RequestTarget) => boolean;

/**
 * Whether a request has the token: in its address, as the printed one has it, in the cookie that the first such request
 * gets, or as `Authorization: Bearer …`, for programs. The cookie is sent by pages of this server only, and no script reads
 * it.
 */
export function createTokenGate(token: string | undefined): TokenGate {
  if (token === undefined) return () => true;
  const expected = digestOf(token);
  const isToken = (text: string): boolean => timingSafeEqual(digestOf(text), expected);
  return (request, response, { query }) => {
    const cookie = cookieName(request);
    const inAddress = query.get(QUERY_FIELD);
    if (inAddress !== null && isToken(inAddress)) {
      response.setHeader('set-cookie', `${cookie}=${token}; Path=/; HttpOnly; SameSite=Strict`);
      return true;
    }
    const [, bearer] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    if (bearer !== undefined && isToken(bearer)) return true;
    // A cookie of the same name that another server of this host has set does not hide ours.
    return cookiesOf(request.headers.cookie, cookie).some(isToken);
  };
}

/** Cookies do not distinguish ports: two servers of one machine need two names. */
function cookieName({ socket }: IncomingMessage): string {
  return `loopwatch-${socket.localPort ?? 0}`;
}

function cookiesOf(header = '', name: string): string[] {
  return header.split(';').flatMap((pair) => {
    const text = pair.trim();
    return text.startsWith(`${name}=`) ? [text.slice(name.length + 1)] : [];
  });
}

/** Of one length, as `timingSafeEqual` wants it. */
function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
