import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { generate } from 'selfsigned';

interface KeyAndCertificate {
  readonly key: string;
  readonly cert: string;
}

export interface Certificates {
  /** Certificate of an authority that no trust store contains. */
  readonly authority: KeyAndCertificate;
  readonly server: KeyAndCertificate;
  /** Paths for the configuration of an exporter: the authority's certificate, and a client's key and certificate. */
  readonly files: { readonly authority: string; readonly clientKey: string; readonly clientCertificate: string };
}

/** Makes an authority and its certificates for 127.0.0.1 and for a client of that name, and writes them to the folder. */
export async function makeCertificates(directory: string, clientName: string): Promise<Certificates> {
  const authority = await make('Loopwatch tests', undefined, [
    { name: 'basicConstraints', cA: true, critical: true },
    { name: 'keyUsage', keyCertSign: true, critical: true },
  ]);
  const server = await make('127.0.0.1', authority, [
    { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
  ]);
  const client = await make(clientName, authority, [{ name: 'extKeyUsage', clientAuth: true }]);
  const files = {
    authority: path.join(directory, 'authority.pem'),
    clientKey: path.join(directory, 'client-key.pem'),
    clientCertificate: path.join(directory, 'client.pem'),
  };
  await writeFile(files.authority, authority.cert);
  await writeFile(files.clientKey, client.key);
  await writeFile(files.clientCertificate, client.cert);
  return { authority, server, files };
}

type Options = NonNullable<Parameters<typeof generate>[1]>;

async function make(
  commonName: string,
  ca: KeyAndCertificate | undefined,
  extensions: NonNullable<Options['extensions']>,
): Promise<KeyAndCertificate> {
  const made = await generate([{ name: 'commonName', value: commonName }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions,
    ...(ca && { ca }),
  });
  return { key: made.private, cert: made.cert };
}
