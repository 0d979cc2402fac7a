'use strict';
/**
 * Access tokens for a whole list of devices are signed with RSA in one request.
 * @culprit tokenFor
 * @cause native
 * @parent issue-tokens
 * @resource Timeout
 */
const { generateKeyPairSync, createSign } = require('node:crypto');
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 3072 });
const devices = Array.from({ length: 2000 }, (_, index) => `device-${index}`);

// <culprit>
function tokenFor(device) {
  const header = Buffer.from('{"alg":"RS256","typ":"JWT"}').toString('base64url');
  const payload = Buffer.from(JSON.stringify({ sub: device, iat: Date.now() })).toString('base64url');
  const signature = createSign('RSA-SHA256').update(`${header}.${payload}`).sign(privateKey, 'base64url');
  return `${header}.${payload}.${signature}`;
}

function tokensFor(list, until) {
  const tokens = new Map();
  for (const device of list) {
    if (performance.now() > until) break;
    tokens.set(device, tokenFor(device));
  }
  return tokens;
}
// </culprit>

trace.getTracer('devices').startActiveSpan('issue-tokens', (span) => {
  setTimeout(() => {
    truth.begin();
    tokensFor(devices, performance.now() + 450);
    truth.end();
    span.end();
  }, 300);
});
