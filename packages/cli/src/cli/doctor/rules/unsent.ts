import type { ExporterFacts } from '../facts.js';

/** Why no request could be sent to a receiver that may well be there, by the code of the error, and what to do. */
interface Unsent {
  readonly code: RegExp;
  readonly text: string;
  readonly remedy: (variable: string) => string;
}

const UNSENT: readonly Unsent[] = [
  {
    code: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    text: 'its certificate is for another name',
    remedy: (variable) => `Set ${variable} to a name that the certificate has, or have that name added to it.`,
  },
  {
    code: /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/,
    text: 'its certificate is not valid now',
    remedy: () => 'Renew the certificate of the receiver, or correct the clock of this machine.',
  },
  {
    code: /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(GET_ISSUER_CERT|VERIFY_LEAF_SIGNATURE).*|CERT_.*)$/,
    text: 'its certificate is not trusted',
    remedy: () =>
      'Set OTEL_EXPORTER_OTLP_CERTIFICATE to the PEM file of the authority that has signed it, or NODE_EXTRA_CA_CERTS.',
  },
  {
    code: /^ERR_SSL_.*(CERTIFICATE|UNKNOWN_CA|HANDSHAKE_FAILURE)/,
    text: 'it does not take the certificate of this client, or wants one',
    remedy: () =>
      'Set OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE and OTEL_EXPORTER_OTLP_CLIENT_KEY to PEM files that it trusts.',
  },
  {
    code: /^(EPROTO|ERR_SSL_.*)$/,
    text: 'what answers there speaks no TLS, or another version of it',
    remedy: (variable) =>
      `Set ${variable} to an address with http://, or to the port on which the receiver speaks TLS.`,
  },
  {
    code: /^HPE_/,
    text: 'what answers there speaks no HTTP/1.1',
    remedy: (variable) =>
      `Set ${variable} to the port of OTLP/HTTP, mostly 4318. Where it is one of OTLP/gRPC, mostly 4317, set ` +
      'OTEL_EXPORTER_OTLP_PROTOCOL=grpc instead.',
  },
  {
    code: /^ECONNRESET$/,
    text: 'the connection was closed without an answer',
    remedy: (variable) =>
      `Look whether the port is one of OTLP/HTTP, and whether it wants TLS: then set ${variable} to an address with ` +
      'https://. Look at the log of the receiver.',
  },
  {
    code: /^(ENOTFOUND|EAI_AGAIN)$/,
    text: 'its name is not known here',
    remedy: (variable) => `Correct the name of the host in ${variable}, or the DNS of this machine or container.`,
  },
];

export interface Problem {
  readonly exporter: ExporterFacts;
  /** The code of an error, or a text. */
  readonly reason: string;
}

export function summaryOfUnsent({ exporter: { url }, reason }: Problem): string {
  const text = unsentBy(reason)?.text;
  const why = text === undefined ? reason : `${reason}: ${text}`;
  return `${url} cannot be reached (${why}): nothing is exported.`;
}

export function remedyOfUnsent({ exporter: { variable = 'OTEL_EXPORTER_OTLP_ENDPOINT' }, reason }: Problem): string {
  const start = `Start the receiver, such as npx loopwatch serve or a collector, or set ${variable} to where it is.`;
  return unsentBy(reason)?.remedy(variable) ?? start;
}

function unsentBy(reason: string): Unsent | undefined {
  return UNSENT.find(({ code }) => code.test(reason));
}
