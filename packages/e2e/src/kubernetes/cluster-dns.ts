// In place of CoreDNS: answers A queries for Services from the API of Kubernetes, asked for each query. It is a process
// of its own, because a test that waits for kubectl answers nothing. Arguments: the address to listen on, the address of
// the API, and a token for it.
import { createSocket } from 'node:dgram';

const [listenAddress = '', apiUrl = '', token = ''] = process.argv.slice(2);
const headerBytes = 12;
const typeA = 1;
const noError = 0;
const serverFailure = 2;
const nameError = 3;

const socket = createSocket('udp4');
socket.on('message', (query, { address, port }) => {
  void answer(query).then((response) => {
    socket.send(response, port, address);
  });
});
socket.bind(53, listenAddress);

async function answer(query: Buffer): Promise<Buffer> {
  const { name, end } = readName(query);
  const isForAddress = query.readUInt16BE(end) === typeA;
  try {
    const addresses = await addressesOf(name);
    return respond(query, end, addresses === undefined ? nameError : noError, isForAddress ? (addresses ?? []) : []);
  } catch (error) {
    console.error(`${name}: ${String(error)}`);
    return respond(query, end, serverFailure, []);
  }
}

/** As the specification of DNS in Kubernetes says; undefined: there is no such name. */
async function addressesOf(name: string): Promise<readonly string[] | undefined> {
  const labels = /^(?:([^.]+)\.)?([^.]+)\.([^.]+)\.svc\.cluster\.local$/.exec(name.toLowerCase());
  const [, pod, service, namespace] = labels ?? [];
  if (service === undefined || namespace === undefined) return undefined;
  const found = (await get(`/api/v1/namespaces/${namespace}/services/${service}`)) as Service | undefined;
  if (found === undefined) return undefined;
  if (found.spec.clusterIP !== 'None') return pod === undefined ? [found.spec.clusterIP] : undefined;
  const slices = `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`;
  const { items } = (await get(`${slices}?labelSelector=kubernetes.io/service-name=${service}`)) as EndpointSlices;
  const addresses = items
    .flatMap(({ endpoints }) => endpoints ?? [])
    .filter(({ conditions }) => conditions.ready !== false)
    .filter(({ hostname }) => pod === undefined || hostname === pod)
    .flatMap((endpoint) => endpoint.addresses);
  return addresses.length === 0 ? undefined : addresses;
}

async function get(path: string): Promise<unknown> {
  const response = await fetch(apiUrl + path, {
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(4000),
  });
  const body = await response.text();
  if (response.status === 404) return undefined;
  if (!response.ok) throw new Error(`Expected 2xx or 404 for ${path}, got ${response.status}: ${body}`);
  return JSON.parse(body);
}

/** The name of the only question, and where it ends. */
function readName(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let offset = headerBytes;
  for (let length = query[offset]!; length > 0; length = query[offset]!) {
    labels.push(query.toString('latin1', offset + 1, offset + 1 + length));
    offset += 1 + length;
  }
  return { name: labels.join('.'), end: offset + 1 };
}

function respond(query: Buffer, endOfName: number, code: number, addresses: readonly string[]): Buffer {
  const question = query.subarray(headerBytes, endOfName + 4);
  const header = Buffer.alloc(headerBytes);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8580 | code, 2); // an answer, with authority, to a query that may ask for recursion
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(addresses.length, 6);
  const records = addresses.map((address) => {
    const record = Buffer.alloc(16);
    record.writeUInt16BE(0xc00c, 0); // the name of the question
    record.writeUInt16BE(typeA, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt32BE(5, 6); // seconds, as CoreDNS has them
    record.writeUInt16BE(4, 10);
    for (const [index, byte] of address.split('.').entries()) record[12 + index] = Number(byte);
    return record;
  });
  return Buffer.concat([header, question, ...records]);
}

interface Service {
  readonly spec: { readonly clusterIP: string };
}

interface EndpointSlices {
  readonly items: readonly {
    readonly endpoints?: readonly {
      readonly addresses: readonly string[];
      readonly hostname?: string;
      readonly conditions: { readonly ready?: boolean };
    }[];
  }[];
}
