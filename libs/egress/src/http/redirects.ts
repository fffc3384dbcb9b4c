import { EgressRefused, FetchFailed } from '../errors/errors.ts';
import type { ResponseHeaders } from './exchange.ts';
import { crossOriginHeaders, type RequestHeaders, withoutBodyHeaders } from './request-headers.ts';

const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** One request of a redirect chain. */
export interface Hop {
  readonly url: URL;
  readonly method: string;
  readonly headers: RequestHeaders;
  readonly body: string | Uint8Array | undefined;
}

/** Returns the Location of a redirect; undefined for other responses. */
export function locationOf(status: number, headers: ResponseHeaders): string | undefined {
  if (!REDIRECT_STATUSES.has(status)) return undefined;
  const location = headers['location'];
  return Array.isArray(location) ? location[0] : location;
}

/**
 * Returns the request that follows a redirect, by https://fetch.spec.whatwg.org/#http-redirect-fetch: 303 and a redirected
 * POST become GET, and the fragment is inherited. A change of origin drops credentials and custom headers for the rest of
 * the chain. Throws FetchFailed 'protocol' for an invalid Location and EgressRefused for one that is not http or https.
 */
export function nextHop(from: Hop, status: number, location: string): Hop {
  const url = resolveLocation(from.url, location);
  const becomesGet =
    (status === 303 && from.method !== 'GET' && from.method !== 'HEAD') ||
    ((status === 301 || status === 302) && from.method === 'POST');
  const headers = url.origin === from.url.origin ? from.headers : crossOriginHeaders(from.headers);
  if (becomesGet) return { url, method: 'GET', headers: withoutBodyHeaders(headers), body: undefined };
  // The body is the caller's data and is sent to the original origin only.
  if (url.origin !== from.url.origin && from.body !== undefined) {
    throw new FetchFailed('protocol', { detail: 'a redirect would send the request body to another site' });
  }
  return { url, method: from.method, headers, body: from.body };
}

function resolveLocation(base: URL, location: string): URL {
  // Header values are decoded as latin1, but browsers read a raw UTF-8 Location as UTF-8.
  const text = Buffer.from(location, 'latin1').toString('utf8');
  const url = URL.parse(text.includes('\uFFFD') ? location : text, base.href);
  if (url === null) throw new FetchFailed('protocol', { detail: 'a redirect points to something that is not a URL' });
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new EgressRefused('only http and https URLs can be fetched');
  }
  url.username = '';
  url.password = '';
  if (!url.href.includes('#')) url.hash = base.hash;
  return url;
}
