/** Connection options of services: reconnects without limit. Times in ms. */
export const RECONNECT = {
  maxReconnectAttempts: -1,
  reconnectTimeWait: 250,
  waitOnFirstConnect: true,
  pingInterval: 5_000,
  // With them, each request makes an error for its stack, which only a failed one needs.
  noAsyncTraces: true,
};

/** Connection options of the NATS client, which reads no credentials from URLs. */
export interface NatsAddress {
  readonly servers: string[];
  readonly user?: string;
  readonly pass?: string;
  readonly token?: string;
}

/**
 * Splits NATS_URL: addresses separated by commas, with the same credentials in each or in the first. `user:password@` is an account,
 * a name alone (`token@`) is a token.
 */
export function natsAddress(text: string): NatsAddress {
  const urls = text.split(',').map((part) => part.trim());
  const servers = urls.map((url) => url.replace(/^((?:[a-z]+:\/\/)?)[^@/]*@/i, '$1'));
  const [, credentials] = /^(?:[a-z]+:\/\/)?([^@/]*)@/i.exec(urls[0] ?? '') ?? [];
  if (credentials === undefined) return { servers };
  const [, user = '', pass = ''] = /^([^:]*):(.*)$/.exec(credentials) ?? [];
  if (!credentials.includes(':')) return { servers, token: decodeURIComponent(credentials) };
  return { servers, user: decodeURIComponent(user), pass: decodeURIComponent(pass) };
}
