import { isIP, type Socket } from 'node:net';
import { FetchFailed } from '../errors/errors.ts';
import { parseExitUrl } from '../policy/exit-url.ts';
import type { OutboundProxy, ProxyRoute } from '../policy/outbound-proxy.ts';
import { type Resolve, systemResolve } from '../policy/resolver.ts';
import { connectHandshake } from './connect-handshake.ts';
import { dialProxy } from './dial-proxy.ts';
import { socksHandshake } from './socks-handshake.ts';
import type { ExitDialOptions } from './tunnel.ts';

/**
 * Opens a connection to an admitted target through the outbound proxy of the operator: CONNECT for every protocol, HTTP included, so that
 * the proxy needs to permit the ports that are used. Rejects with FetchFailed, whose message states whether the proxy or the target failed
 * and contains no credentials. Reading begins with the first listener.
 */
export async function openProxied(route: ProxyRoute, port: number, options: ExitDialOptions): Promise<Socket> {
  const proxy = parseExitUrl(route.url);
  const handshake = proxy.protocol === 'socks5:' ? socksHandshake : connectHandshake;
  const target = { address: route.host, port };
  try {
    const { socket } = await dialProxy(proxy, (wire) => handshake(wire, proxy, target, options.timeoutMs), options);
    return readWithListener(socket);
  } catch (error) {
    throw error instanceof FetchFailed && error.kind === 'exit' ? ofProxy(error) : error;
  }
}

/** Opens a connection to a host that the operator configured, such as a mail host; undefined: it is reached directly, by the caller. */
export type DialConfigured = (host: string, port: number, options: ExitDialOptions) => Promise<Socket | undefined>;

/** Makes the dialler of hosts that the operator configured, which the guard does not check. Undefined without a proxy. */
export function makeDialConfigured(
  proxy: OutboundProxy | undefined,
  resolve: Resolve = systemResolve,
): DialConfigured | undefined {
  if (proxy === undefined) return undefined;
  return async (host, port, options) => {
    const address = isIP(host) === 0 ? (await resolve(host))[0]?.address : host;
    if (address === undefined) throw new FetchFailed('dns');
    const route = proxy({ host, port, address });
    return route && openProxied(route, port, options);
  };
}

/** A tunnel is returned paused, and a client that attaches a listener expects a socket that was never paused. */
function readWithListener(socket: Socket): Socket {
  const onListener = (event: string | symbol): void => {
    if (event !== 'data') return;
    socket.off('newListener', onListener);
    process.nextTick(() => socket.resume());
  };
  return socket.on('newListener', onListener);
}

/** The messages of exits name the exit. */
const ofProxy = (error: FetchFailed): FetchFailed =>
  new FetchFailed('refused', { detail: error.message.replace('the exit', 'the outbound proxy'), cause: error });
