import { isIPv6, type Socket } from 'node:net';

/** The little of SOCKS5 (RFC 1928) that Chromium speaks: no authentication, CONNECT only. */
const VERSION = 5;
const NO_AUTHENTICATION = 0;
const CONNECT = 1;
const HANDSHAKE_BYTES_MAX = 600;

export interface Destination {
  readonly host: string;
  readonly port: number;
}

/** Thrown where the other side doesn't speak the protocol: it isn't Chromium. */
export class NotSocks extends Error {
  override readonly name = 'NotSocks';
}

/** What the proxy says to a CONNECT. Every kind of failure gives the same answer: a page must not learn what listens where. */
export const ACCEPTED = Buffer.from([VERSION, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
export const FAILED = Buffer.from([VERSION, 1, 0, 1, 0, 0, 0, 0, 0, 0]);

/** Reads greeting and request off a fresh connection; bytes after them stay in the socket. @throws NotSocks */
export async function readDestination(socket: Socket): Promise<Destination> {
  const reader = new Reader(socket);
  const greeting = await reader.take(2);
  if (greeting[0] !== VERSION) throw new NotSocks('not version 5');
  const methods = await reader.take(greeting[1] ?? 0);
  if (!methods.includes(NO_AUTHENTICATION)) throw new NotSocks('no method in common');
  socket.write(Buffer.from([VERSION, NO_AUTHENTICATION]));
  const request = await reader.take(4);
  if (request[0] !== VERSION || request[1] !== CONNECT) throw new NotSocks('not a CONNECT');
  const host = await readHost(reader, request[3] ?? 0);
  const port = (await reader.take(2)).readUInt16BE(0);
  reader.release();
  return { host, port };
}

async function readHost(reader: Reader, addressType: number): Promise<string> {
  if (addressType === 1) return [...(await reader.take(4))].join('.');
  if (addressType === 3) {
    const [length = 0] = await reader.take(1);
    return (await reader.take(length)).toString('latin1');
  }
  if (addressType !== 4) throw new NotSocks('unknown address type');
  const bytes = await reader.take(16);
  const words = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(index * 2).toString(16));
  return words.join(':');
}

/** `host:port` as a key, the same for every spelling of an IPv6 address. */
export function authorityOf({ host, port }: Destination): string {
  const bare = host.startsWith('[') ? host.slice(1, -1) : host;
  return `${isIPv6(bare) ? new URL(`http://[${bare}]`).hostname : bare.toLowerCase()}:${port}`;
}

/** Takes exact numbers of bytes off a socket, up to the size of a handshake. */
class Reader {
  readonly #socket: Socket;
  #held = Buffer.alloc(0);
  #wake: (() => void) | undefined;
  #isClosed = false;
  readonly #onData = (chunk: Buffer) => {
    this.#held = Buffer.concat([this.#held, chunk]);
    this.#wake?.();
  };
  readonly #onClose = () => {
    this.#isClosed = true;
    this.#wake?.();
  };

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', this.#onData).once('close', this.#onClose);
  }

  async take(length: number): Promise<Buffer> {
    while (this.#held.length < length) {
      if (this.#isClosed || this.#held.length > HANDSHAKE_BYTES_MAX) throw new NotSocks('no handshake');
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const taken = this.#held.subarray(0, length);
    this.#held = this.#held.subarray(length);
    return taken;
  }

  release(): void {
    this.#socket.off('data', this.#onData).off('close', this.#onClose);
    this.#socket.pause();
    if (this.#held.length > 0) this.#socket.unshift(this.#held);
  }
}
