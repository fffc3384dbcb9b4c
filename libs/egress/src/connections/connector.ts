import type { Socket } from 'node:net';
import { LRUCache } from 'lru-cache';
import { buildConnector } from 'undici';
import { asError, codeOf } from '../errors/errors.ts';
import { type GuardedProxy, openGuardedTunnel } from '../exits/guarded-proxy.ts';
import { openProxied } from '../exits/open-proxied.ts';
import { openTunnel } from '../exits/open-tunnel.ts';
import type { Tunnel } from '../exits/tunnel.ts';
import type { AdmittedAddress, EgressGuard } from '../policy/guard.ts';
import type { ProxyRoute } from '../policy/outbound-proxy.ts';

/** Opens one socket to an admitted address. Defaults to undici's connector; tests record instead. */
export type Dial = buildConnector.connector;

export interface ConnectorOptions {
  /** PEM certificates trusted in addition to node's list, for sites and https:// exits. */
  readonly ca?: string;
  readonly dial?: Dial;
  /** Default false: HTTP/2 is used only for servers that refuse HTTP/1.1. */
  readonly offerHttp2?: boolean;
}

/** The URL of an exit, or a guarded proxy that dials through an exit. */
export type ExitRoute = string | GuardedProxy;

/** How to connect through an exit, with a listener for each opened tunnel. */
export interface ExitConnectOptions {
  readonly route: ExitRoute;
  readonly onTunnel: (tunnel: Tunnel) => void;
}

const CONNECT_TIMEOUT_MS = 10_000;
const MAX_HTTP2_SITES = 1_000;

/** Handshake alert of a server that supports HTTP/2 only (RFC 7301 section 3.2). */
const HTTP2_ONLY_ALERT = 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL';

/**
 * Opens connections, directly or through an exit, each to an address that the guard admits at that moment. SNI and
 * certificate checks use the host name; only the dialled address is replaced. HTTP/2 is a fallback unless `offerHttp2`: a
 * lost connection fails every page on it, and a request on a kept connection costs undici 1.5 times the CPU.
 */
export class Connector {
  readonly #guard: EgressGuard;
  readonly #ca: string | undefined;
  readonly #direct: readonly [http1: Dial, http2: Dial];
  readonly #tunnelled: readonly [http1: Dial, http2: Dial];
  readonly #offersHttp2: boolean;
  readonly #http2Sites = new LRUCache<string, true>({ max: MAX_HTTP2_SITES });

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
    // No session cache: a resumed TLS session would link two exits to one visitor.
    this.#tunnelled = [dialOf(false, 0), dialOf(true, 0)];
  }

  /** The HTTP version of connections to the origin, by its last handshake. */
  httpVersion(origin: URL): '1.1' | '2' {
    return this.#http2Sites.has(siteOf(origin.hostname, portOf(origin))) ? '2' : '1.1';
  }

  /** Implements the `connect` option of undici. */
  connect(
    target: buildConnector.Options,
    exit: ExitConnectOptions | undefined,
    callback: buildConnector.Callback,
  ): void {
    this.#open(target, exit).then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(asError(error), null),
    );
  }

  async #open(target: buildConnector.Options, exit: ExitConnectOptions | undefined): Promise<Socket> {
    const port = portOf(target);
    const { address: hostname, proxy } = await this.#connectHost(target.hostname, port, exit);
    const site = siteOf(target.hostname, port);
    const [http1, http2] = exit === undefined ? this.#direct : this.#tunnelled;
    const dialled = { ...target, hostname, port: String(port) };
    const via = exit ?? proxy;
    const chosen = this.#offersHttp2 || this.#http2Sites.has(site) ? http2 : http1;
    const socket = await this.#dial(chosen, dialled, via).catch((error: unknown) => {
      if (chosen === http2 || codeOf(error) !== HTTP2_ONLY_ALERT) throw error;
      return this.#dial(http2, dialled, via);
    });
    if ('alpnProtocol' in socket && socket.alpnProtocol === 'h2') this.#http2Sites.set(site, true);
    else this.#http2Sites.delete(site);
    return socket;
  }

  /** Returns the admitted address; for a guarded proxy, which resolves and checks names itself, the host name. */
  async #connectHost(
    hostname: string,
    port: number,
    exit: ExitConnectOptions | undefined,
  ): Promise<Pick<AdmittedAddress, 'address' | 'proxy'>> {
    if (exit !== undefined && typeof exit.route !== 'string') return { address: hostname };
    return this.#guard.admit(hostname, port);
  }

  /** Connects directly, through an exit, or through the proxy of the operator. */
  async #dial(
    dial: Dial,
    target: buildConnector.Options,
    via: ExitConnectOptions | ProxyRoute | undefined,
  ): Promise<Socket> {
    if (via === undefined) return connected(dial, target);
    const socket = 'route' in via ? await this.#tunnel(target, via) : await this.#proxied(target, via);
    if (target.protocol !== 'https:') return socket;
    try {
      return await connected(dial, { ...target, httpSocket: socket });
    } catch (error) {
      socket.destroy();
      throw error;
    }
  }

  #proxied({ port }: buildConnector.Options, route: ProxyRoute): Promise<Socket> {
    return openProxied(route, Number(port), this.#tunnelOptions());
  }

  #tunnelOptions() {
    return { timeoutMs: CONNECT_TIMEOUT_MS, ...(this.#ca === undefined ? {} : { ca: this.#ca }) };
  }

  async #tunnel(target: buildConnector.Options, exit: ExitConnectOptions): Promise<Socket> {
    const { route } = exit;
    const [host, port] = [target.hostname, Number(target.port)];
    const options = this.#tunnelOptions();
    const tunnel: Tunnel = await (typeof route === 'string'
      ? openTunnel(route, { address: host, port }, options)
      : openGuardedTunnel(route, { host: unbracketed(host), port }, options));
    exit.onTunnel(tunnel);
    return tunnel.socket;
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
