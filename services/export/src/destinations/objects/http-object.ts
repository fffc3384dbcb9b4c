import { FetchFailed, type HttpClient, type HttpResponse, type TcpTarget } from '@tidemark/egress';
import { DestinationError } from '../driver.ts';
import { storableText } from '../storable.ts';
import { MAX_READ_BYTES, PART_MS, SMALL_MS } from './object-store.ts';

/** Size up to which an object is small, bytes. */
const SMALL_BYTES = 64 * 1024;

/** A signed request to an object service. */
export interface ObjectRequest {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

/**
 * Sends a request within a deadline by its size, again if the server had closed a kept connection: all three methods are idempotent.
 * Redirects are not followed: they would carry the rows to a server that was not chosen.
 */
export async function sendObject(
  client: HttpClient,
  request: ObjectRequest,
  signal: AbortSignal,
): Promise<HttpResponse> {
  const { method, url, headers, body } = request;
  const send = (): Promise<HttpResponse> =>
    client.fetch(url, {
      method,
      headers,
      signal,
      maxRedirects: 0,
      maxBodyBytes: MAX_READ_BYTES,
      ...(body === undefined ? {} : { body }),
      timeoutMs: (body?.length ?? 0) > SMALL_BYTES ? PART_MS : SMALL_MS,
    });
  return send().catch((error: unknown) => {
    if (error instanceof FetchFailed && error.kind === 'reset' && !signal.aborted) return send();
    throw error;
  });
}

/** The server of an address. */
export const serverOf = ({ hostname, port, protocol }: URL): TcpTarget => ({
  host: hostname.replace(/^\[(.*)\]$/, '$1'),
  port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
});

/** Error codes of S3 and Azure whose cause is the account or its rights, whatever the status. */
const REFUSED = /^(NoSuchBucket|ContainerNotFound|InvalidAccessKeyId|AuthenticationFailed|AccountIsDisabled)$/;
const MAX_TEXT = 300;

/** Converts an error response. Its XML repeats no secret: signatures are left out. */
export function failureOf({ status, body }: HttpResponse, what: string): DestinationError {
  const xml = body.subarray(0, 65_536).toString();
  const textOf = (tag: string): string => new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(xml)?.[1] ?? '';
  const code = textOf('Code');
  const said = [code, textOf('Message')].filter((text) => text !== '').join(': ');
  const message = `${what}: status ${status}${said === '' ? '' : `, ${storableText(said).slice(0, MAX_TEXT)}`}`;
  if (status === 401 || status === 403 || REFUSED.test(code)) return new DestinationError('refused', message);
  if (status >= 500 || status === 429 || status === 408) return new DestinationError('temporary', message);
  return new DestinationError('invalid', message);
}

/** Percent-encodes a path for a URL and a signature: everything but unreserved characters and the slashes between segments (RFC 3986 2.3). */
export const encodePath = (path: string): string =>
  path
    .split('/')
    .map((segment) =>
      encodeURIComponent(segment).replace(
        /[!'()*]/g,
        (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
      ),
    )
    .join('/');

/** Parses the base URL of a service. @throws DestinationError */
export function parseEndpoint(endpoint: string): URL {
  const url = URL.parse(endpoint);
  const isPlain = url !== null && url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (!isPlain || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new DestinationError(
      'invalid',
      'the endpoint is not valid; expected https://host without credentials, query and fragment',
    );
  return url;
}
