import { describe, expect, test } from '@jest/globals';
import { formatAnswer, livenessAnswer } from '../../../src/liveness/liveness-answer.js';

const GET = 'GET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n';
const notBlocked = { blockedMs: 0 };
const thresholds = { livenessThresholdMs: 1000, readinessThresholdMs: 200 };

describe('GET /livez answers', () => {
  test('200 while the main thread is not blocked', () => {
    const { status, body } = livenessAnswer(GET, notBlocked, thresholds);
    expect([status, JSON.parse(body)]).toEqual(['200 OK', { status: 'ok', blockedMs: 0 }]);
  });

  test('200 with the age and the culprit of a block below the threshold', () => {
    const { status, body } = livenessAnswer(
      GET,
      { blockedMs: 999.9, culprit: 'findParent (/app/a.js:1:2)' },
      thresholds,
    );
    expect(status).toBe('200 OK');
    expect(JSON.parse(body)).toEqual({ status: 'ok', blockedMs: 999, culprit: 'findParent (/app/a.js:1:2)' });
  });

  test('503 from the threshold on', () => {
    const { status, body } = livenessAnswer(GET, { blockedMs: 1000 }, thresholds);
    expect([status, JSON.parse(body)]).toEqual(['503 Service Unavailable', { status: 'blocked', blockedMs: 1000 }]);
  });

  test('the same with a query', () => {
    expect(livenessAnswer(GET.replace('/livez', '/livez?verbose'), notBlocked, thresholds).status).toBe('200 OK');
  });
});

describe('GET /readyz answers', () => {
  const READY = GET.replace('/livez', '/readyz');

  test.each([
    [199.9, '200 OK', { status: 'ok', blockedMs: 199 }],
    [200, '503 Service Unavailable', { status: 'blocked', blockedMs: 200 }],
  ])('by a threshold of its own: after %d ms %s', (blockedMs, expected, fields) => {
    const culprit = 'findParent (/app/a.js:1:2)';
    const { status, body } = livenessAnswer(READY, { blockedMs, culprit }, thresholds);
    expect([status, JSON.parse(body)]).toEqual([expected, { ...fields, culprit }]);
    expect(livenessAnswer(GET, { blockedMs, culprit }, thresholds).status).toBe('200 OK');
  });
});

test.each([
  ['GET / HTTP/1.1\r\n\r\n', '404 Not Found'],
  ['GET /livez/ HTTP/1.1\r\n\r\n', '404 Not Found'],
  ['GET /healthz HTTP/1.0\r\n\r\n', '404 Not Found'],
  ['POST /other HTTP/1.1\r\n\r\n', '404 Not Found'],
  ['POST /livez HTTP/1.1\r\n\r\n', '405 Method Not Allowed'],
  ['HEAD /livez HTTP/1.1\r\n\r\n', '503 Service Unavailable'],
  ['HEAD /readyz HTTP/1.1\r\n\r\n', '503 Service Unavailable'],
  ['POST /readyz HTTP/1.1\r\n\r\n', '405 Method Not Allowed'],
  ['GET /readyz/ HTTP/1.1\r\n\r\n', '404 Not Found'],
  ['HEAD /other HTTP/1.1\r\n\r\n', '404 Not Found'],
  ['OPTIONS /livez HTTP/1.1\r\n\r\n', '405 Method Not Allowed'],
  ['get /livez HTTP/1.1\r\n\r\n', '400 Bad Request'],
  ['GET /livez\r\n\r\n', '400 Bad Request'],
  ['\x16\x03\x01\x02\r\n\r\n', '400 Bad Request'],
  ['', '400 Bad Request'],
])('the request %j gets %s', (request, status) => {
  expect(livenessAnswer(request, { blockedMs: 90_000 }, thresholds).status).toBe(status);
});

test.each(['/livez', '/readyz', '/other'])('the answer to HEAD %s is that to GET without the body', (path) => {
  const [get, head] = ['GET', 'HEAD'].map((method) =>
    formatAnswer(livenessAnswer(`${method} ${path} HTTP/1.1\r\n\r\n`, notBlocked, thresholds)),
  );
  expect(head).toBe(`${get?.split('\r\n\r\n')[0]}\r\n\r\n`);
});

test('the length of an answer counts bytes, not characters', () => {
  const answer = formatAnswer({ status: '200 OK', headers: {}, body: 'größe 🐢', omitsBody: false });
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n(.+\r\n)*content-length: 12\r\n/);
  expect(answer.split('\r\n\r\n')[1]).toBe('größe 🐢');
});
