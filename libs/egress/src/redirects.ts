import { EgressRefused, FetchFailed } from './errors.ts';
import type { ResponseHeaders } from './exchange.ts';
import { crossOriginHeaders, type RequestHeaders, withoutBodyHeaders } from './request-headers.ts';

const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** What the next request would be. */
export interface Hop {
  readonly url: URL;
  readonly method: string;
  readonly headers: RequestHeaders;
  readonly body: string | Uint8Array | undefined;
}

/** The Location of a redirect, or undefined when the answer is not one. */
export function locationOf(status: number, headers: ResponseHeaders): string | undefined {
  if (!REDIRECT_STATUSES.has(status)) return undefined;
  const location = headers['location'];
  return Array.isArray(location) ? location[0] : location;
}

/**
 * The request a redirect asks for, by https://fetch.spec.whatwg.org/#http-redirect-fetch: 303 and a redirected POST
 * become GET, the fragment is inherited, and another origin gets neither credentials nor custom headers, for good.
 * Throws FetchFailed 'protocol' for a Location that is no URL and EgressRefused for one that is not http or https.
 */
export function nextHop(from: Hop, status: number, location: string): Hop {
  const url = resolveLocation(from.url, location);
  const becomesGet =
    (status === 303 && from.method !== 'GET' && from.method !== 'HEAD') ||
    ((status === 301 || status === 302) && from.method === 'POST');
  const kept = url.origin === from.url.origin ? from.headers : crossOriginHeaders(from.headers);
  if (becomesGet) return { url, method: 'GET', headers: withoutBodyHeaders(kept), body: undefined };
  // A body is the caller's data; it goes to the origin it was meant for only.
  if (url.origin !== from.url.origin && from.body !== undefined) {
    throw new FetchFailed('protocol', { detail: 'a redirect asked to send the request body to another site' });
  }
  return { url, method: from.method, headers: kept, body: from.body };
}

function resolveLocation(base: URL, location: string): URL {
  // Header values arrive as latin1; sites that put raw UTF-8 into Location mean UTF-8, and browsers read it so.
  const text = Buffer.from(location, 'latin1').toString('utf8');
  const url = URL.parse(text.includes('\uFFFD') ? location : text, base.href);
  if (url === null) throw new FetchFailed('protocol', { detail: 'a redirect points to something that is not a URL' });
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new EgressRefused('only http and https addresses can be fetched');
  }
  url.username = '';
  url.password = '';
  if (!url.href.includes('#')) url.hash = base.hash;
  return url;
}
