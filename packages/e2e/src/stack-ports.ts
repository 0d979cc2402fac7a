import { freePorts } from '@loopwatch/test-support/free-port';

import { defaultPorts, type Ports } from '../../../scripts/stack/ports.mjs';

/** Free ports for a stack, which keeps them while a program of it is down: the system gives them to no one else. */
export async function freeStackPorts(): Promise<Ports> {
  const names = Object.keys(defaultPorts) as (keyof Ports)[];
  const ports = await freePorts(names.length);
  return Object.fromEntries(names.map((name, index) => [name, ports[index]])) as unknown as Ports;
}
