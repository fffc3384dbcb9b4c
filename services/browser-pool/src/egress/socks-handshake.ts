import { isIPv6, type Socket } from 'node:net';

/** The subset of SOCKS5 (RFC 1928) that Chromium uses: no authentication, CONNECT only. */
const VERSION = 5;
const NO_AUTHENTICATION = 0;
const CONNECT = 1;
const MAX_HANDSHAKE_BYTES = 600;

export interface Destination {
  readonly host: string;
  readonly port: number;
}

/** The client violates the protocol, so it is not Chromium. */
export class SocksProtocolError extends Error {
  override readonly name = 'NotSocks';
}

/** Replies to CONNECT. All failures have the same reply, so that a page cannot detect listening ports. */
export const ACCEPTED = Buffer.from([VERSION, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
export const FAILED = Buffer.from([VERSION, 1, 0, 1, 0, 0, 0, 0, 0, 0]);

/** Reads greeting and request from a new connection; later bytes stay in the socket. @throws SocksProtocolError */
export async function readDestination(socket: Socket): Promise<Destination> {
  const reader = new ByteReader(socket);
  const greeting = await reader.take(2);
  if (greeting[0] !== VERSION) throw new SocksProtocolError('not version 5');
  const methods = await reader.take(greeting[1] ?? 0);
  if (!methods.includes(NO_AUTHENTICATION)) throw new SocksProtocolError('no common authentication method');
  socket.write(Buffer.from([VERSION, NO_AUTHENTICATION]));
  const request = await reader.take(4);
  if (request[0] !== VERSION || request[1] !== CONNECT) throw new SocksProtocolError('not a CONNECT');
  const host = await readHost(reader, request[3] ?? 0);
  const port = (await reader.take(2)).readUInt16BE(0);
  reader.release();
  return { host, port };
}

async function readHost(reader: ByteReader, addressType: number): Promise<string> {
  if (addressType === 1) return [...(await reader.take(4))].join('.');
  if (addressType === 3) {
    const [length = 0] = await reader.take(1);
    return (await reader.take(length)).toString('latin1');
  }
  if (addressType !== 4) throw new SocksProtocolError('unknown address type');
  const bytes = await reader.take(16);
  const words = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(index * 2).toString(16));
  return words.join(':');
}

/** Returns `host:port` as a key, equal for every spelling of an IPv6 address. */
export function authorityOf({ host, port }: Destination): string {
  const bare = host.startsWith('[') ? host.slice(1, -1) : host;
  return `${isIPv6(bare) ? new URL(`http://[${bare}]`).hostname : bare.toLowerCase()}:${port}`;
}

/** Reads exact numbers of bytes from a socket, up to the size of a handshake. */
class ByteReader {
  readonly #socket: Socket;
  #buffer = Buffer.alloc(0);
  #onChange: (() => void) | undefined;
  #isClosed = false;
  readonly #onData = (chunk: Buffer) => {
    this.#buffer = Buffer.concat([this.#buffer, chunk]);
    this.#onChange?.();
  };
  readonly #onClose = () => {
    this.#isClosed = true;
    this.#onChange?.();
  };

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', this.#onData).once('close', this.#onClose);
  }

  async take(length: number): Promise<Buffer> {
    while (this.#buffer.length < length) {
      if (this.#isClosed || this.#buffer.length > MAX_HANDSHAKE_BYTES)
        throw new SocksProtocolError('incomplete handshake');
      await new Promise<void>((resolve) => {
        this.#onChange = resolve;
      });
    }
    const taken = this.#buffer.subarray(0, length);
    this.#buffer = this.#buffer.subarray(length);
    return taken;
  }

  release(): void {
    this.#socket.off('data', this.#onData).off('close', this.#onClose);
    this.#socket.pause();
    if (this.#buffer.length > 0) this.#socket.unshift(this.#buffer);
  }
}
