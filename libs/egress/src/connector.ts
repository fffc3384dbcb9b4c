import type { Socket } from 'node:net';
import { buildConnector } from 'undici';
import { asError, codeOf } from './errors.ts';
import { openTunnel, type Tunnel } from './exit-dialer.ts';
import type { EgressGuard } from './guard.ts';
import { type GuardedProxy, openGuardedTunnel } from './guarded-proxy.ts';

/** Opens one socket to an address already admitted; undici's own connector unless a test records instead. */
export type Dial = buildConnector.connector;

export interface ConnectorOptions {
  /** PEM certificates trusted beside node's own list, of sites and of https:// exits. */
  readonly ca?: string;
  readonly dial?: Dial;
  /** Default false: HTTP/2 is for servers that refuse everything else. */
  readonly offerHttp2?: boolean;
}

/** The address of an exit, or the proxy that dials through one and applies the guard itself. */
export type ExitRoute = string | GuardedProxy;

/** The way through an exit, and a listener for each connection opened on it. */
export interface ExitPath {
  readonly route: ExitRoute;
  readonly onTunnel: (tunnel: Tunnel) => void;
}

const CONNECT_TIMEOUT_MS = 10_000;
const MAX_H2_SITES = 1_000;

/** A server that offers HTTP/2 alone ends the handshake with this alert (RFC 7301 section 3.2). */
const REFUSES_HTTP1 = 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL';

/**
 * Opens connections, each to an address the guard admitted at that moment, directly or through an exit. The host name
 * is kept for SNI and certificate checks; only the address is replaced. HTTP/2 is a fallback unless asked for: pages that
 * share a connection share its end, and a request on a kept one costs undici 1.5 times the CPU.
 */
export class Connector {
  readonly #guard: EgressGuard;
  readonly #ca: string | undefined;
  readonly #direct: readonly [http1: Dial, http2: Dial];
  readonly #tunnelled: readonly [http1: Dial, http2: Dial];
  readonly #offersHttp2: boolean;
  readonly #h2Sites = new Set<string>();

  constructor(guard: EgressGuard, options: ConnectorOptions) {
    this.#guard = guard;
    this.#ca = options.ca;
    this.#offersHttp2 = options.offerHttp2 ?? false;
    const dialOf = (allowH2: boolean, maxCachedSessions: number): Dial =>
      options.dial ??
      buildConnector({
        allowH2,
        preferH2: true,
        maxCachedSessions,
        timeout: CONNECT_TIMEOUT_MS,
        autoSelectFamily: false,
        rejectUnauthorized: true,
        ...(options.ca === undefined ? {} : { ca: options.ca }),
      });
    this.#direct = [dialOf(false, 100), dialOf(true, 100)];
    // A resumed TLS session would tell the site that two exits are one visitor.
    this.#tunnelled = [dialOf(false, 0), dialOf(true, 0)];
  }

  /** The protocol connections to the origin speak, as far as is known. */
  httpVersion(origin: URL): '1.1' | '2' {
    return this.#h2Sites.has(siteOf(origin.hostname, portOf(origin))) ? '2' : '1.1';
  }

  /** A `connect` option for undici. */
  connect(target: buildConnector.Options, exit: ExitPath | undefined, callback: buildConnector.Callback): void {
    this.#open(target, exit).then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(asError(error), null),
    );
  }

  async #open(target: buildConnector.Options, exit: ExitPath | undefined): Promise<Socket> {
    const port = portOf(target);
    const hostname = await this.#hostOf(target.hostname, port, exit);
    const site = siteOf(target.hostname, port);
    const [http1, http2] = exit === undefined ? this.#direct : this.#tunnelled;
    const dialled = { ...target, hostname, port: String(port) };
    const offered = this.#offersHttp2 || this.#h2Sites.has(site) ? http2 : http1;
    const socket = await this.#dial(offered, dialled, exit).catch((error: unknown) => {
      if (offered === http2 || codeOf(error) !== REFUSES_HTTP1) throw error;
      return this.#dial(http2, dialled, exit);
    });
    if ('alpnProtocol' in socket && socket.alpnProtocol === 'h2') this.#remember(site);
    else this.#h2Sites.delete(site);
    return socket;
  }

  /** The address the guard admitted; the name itself where a guarded proxy resolves and checks it. */
  async #hostOf(hostname: string, port: number, exit: ExitPath | undefined): Promise<string> {
    if (exit !== undefined && typeof exit.route !== 'string') return hostname;
    return (await this.#guard.admit(hostname, port)).address;
  }

  async #dial(dial: Dial, target: buildConnector.Options, exit: ExitPath | undefined): Promise<Socket> {
    if (exit === undefined) return connected(dial, target);
    const tunnel = await this.#tunnel(target, exit);
    if (target.protocol !== 'https:') return tunnel.socket;
    try {
      return await connected(dial, { ...target, httpSocket: tunnel.socket });
    } catch (error) {
      tunnel.socket.destroy();
      throw error;
    }
  }

  async #tunnel(target: buildConnector.Options, exit: ExitPath): Promise<Tunnel> {
    const { route } = exit;
    const [host, port] = [target.hostname, Number(target.port)];
    const options = { timeoutMs: CONNECT_TIMEOUT_MS, ...(this.#ca === undefined ? {} : { ca: this.#ca }) };
    const tunnel = await (typeof route === 'string'
      ? openTunnel(route, { address: host, port }, options)
      : openGuardedTunnel(route, { host: unbracketed(host), port }, options));
    exit.onTunnel(tunnel);
    return tunnel;
  }

  #remember(site: string): void {
    this.#h2Sites.add(site);
    const oldest = this.#h2Sites.size > MAX_H2_SITES ? this.#h2Sites.values().next().value : undefined;
    if (oldest !== undefined) this.#h2Sites.delete(oldest);
  }
}

function connected(dial: Dial, target: buildConnector.Options): Promise<Socket> {
  return new Promise((resolve, reject) => {
    dial(target, (error, socket) => (error === null ? resolve(socket) : reject(error)));
  });
}

function portOf({ port, protocol }: { readonly port: string; readonly protocol: string }): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

const unbracketed = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1');

const siteOf = (hostname: string, port: number): string => `${unbracketed(hostname)}:${port}`;
