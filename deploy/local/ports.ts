import { createServer } from 'node:net';
import { readJson, writeJson } from './json-file.ts';

export const LOOPBACK = '127.0.0.1';

// Below Linux's ephemeral range (32768 and up), so that no outgoing connection of another process takes a port of the stack
// between the end of a process and its restart on the same port.
const LOWEST_PORT = 20_000;
const HIGHEST_PORT = 31_999;
const PORTS = HIGHEST_PORT - LOWEST_PORT + 1;
const ATTEMPTS = 200;

/** Returns whether a loopback port is free. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, host: LOOPBACK, exclusive: true }, () => probe.close(() => resolve(true)));
  });
}

/** Returns a port for each name: the one stored in `file` if it is still free, otherwise a new one, which is stored. */
export async function choosePorts<Name extends string>(
  file: string,
  names: readonly Name[],
  random: () => number = Math.random,
): Promise<(name: Name) => number> {
  const remembered = rememberedPorts(file);
  const chosen = new Map<Name, number>();
  // A contiguous range for all names: two stacks that choose at the same time then rarely choose the same.
  let from = Math.floor(random() * PORTS);
  for (const name of names) {
    const before = remembered.get(name);
    const isKept = before !== undefined && (await isFree(before));
    const port = isKept ? before : await freePort(new Set(remembered.values()), from);
    if (!isKept) from = port - LOWEST_PORT + 1;
    remembered.set(name, port);
    chosen.set(name, port);
  }
  writeJson(file, Object.fromEntries(remembered));
  return (name) => {
    const port = chosen.get(name);
    if (port === undefined) throw new Error(`no port was chosen for ${name}`);
    return port;
  };
}

/** Returns the first free port at or after an offset of the range, wrapping around at its end. */
async function freePort(taken: ReadonlySet<number>, from: number): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const port = LOWEST_PORT + ((from + attempt) % PORTS);
    if (!taken.has(port) && (await isFree(port))) return port;
  }
  throw new Error(`no free port on ${LOOPBACK} in ${ATTEMPTS} tries from ${LOWEST_PORT + from} on`);
}

function rememberedPorts(file: string): Map<string, number> {
  const ports = new Map<string, number>();
  for (const [name, port] of Object.entries(readJson(file))) {
    if (typeof port === 'number' && Number.isInteger(port) && port > 0 && port < 65_536) ports.set(name, port);
  }
  return ports;
}
