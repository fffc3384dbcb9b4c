import { connect, createServer, type Server, type Socket } from 'node:net';
import { LOOPBACK } from '../../deploy/local/ports.ts';

/** Relays TCP connections to a server, and cuts them as the end of its process does: open connections are reset, new ones refused. */
export class TcpRelay {
  readonly address: string;
  readonly #port: number;
  readonly #target: { readonly host: string; readonly port: number };
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;

  /** @param target `host:port` of the server */
  constructor(port: number, target: string) {
    const { hostname, port: targetPort } = new URL(`tcp://${target}`);
    this.address = `${LOOPBACK}:${port}`;
    this.#port = port;
    this.#target = { host: hostname, port: Number(targetPort) };
  }

  open(): Promise<void> {
    const server = createServer((client) => this.#relay(client));
    this.#server = server;
    return new Promise((resolve, reject) => {
      server.once('error', reject).listen(this.#port, LOOPBACK, resolve);
    });
  }

  cut(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    for (const socket of this.#sockets) socket.resetAndDestroy();
    return new Promise((resolve) => (server === undefined ? resolve() : server.close(() => resolve())));
  }

  #relay(client: Socket): void {
    const upstream = connect(this.#target);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  }
}
