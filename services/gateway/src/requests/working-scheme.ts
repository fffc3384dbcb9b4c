import { MapServiceService as Rpc } from '@tidemark/contracts/map/v1/map';
import type { CallContext, Peer } from '@tidemark/service';
import { assumeHttps } from '@tidemark/web-url';

/** Longest wait for the schemes of hosts, ms. */
const WITHIN_MS = 8_000;

/** A URL of a request. */
export interface GivenUrl {
  /** As it was validated: with https if it was sent without a scheme. */
  readonly url: string;
  /** As it was sent. */
  readonly sent: unknown;
}

/** Returns the value of a field of a request as it was sent. */
export const sentField = (body: unknown, field: string): unknown =>
  typeof body === 'object' && body !== null ? Object.entries(body).find(([name]) => name === field)?.[1] : undefined;

/** Returns whether a URL was sent without a scheme. */
const isAssumed = ({ sent }: GivenUrl): boolean => typeof sent === 'string' && assumeHttps(sent) !== sent;

/**
 * Returns URLs with http where they were sent without a scheme and their host responds over http alone. URLs with a scheme stay as they are,
 * and cost no request. Without the map service https stays.
 */
export async function withWorkingSchemes(map: Peer, given: readonly GivenUrl[], call: CallContext): Promise<string[]> {
  const assumed = given.filter(isAssumed).map(({ url }) => assumeHttps(url));
  if (assumed.length === 0) return given.map(({ url }) => url);
  const { urls } = await map
    .call(Rpc.findSchemes, { urls: assumed }, call, { deadlineMs: WITHIN_MS })
    .catch(() => ({ urls: assumed }));
  const found = new Map(assumed.map((url, at) => [url, urls[at] ?? url]));
  return given.map((one) => (isAssumed(one) ? (found.get(assumeHttps(one.url)) ?? one.url) : one.url));
}

/** As `withWorkingSchemes`, for one URL. */
export async function withWorkingScheme(map: Peer, given: GivenUrl, call: CallContext): Promise<string> {
  const [url = given.url] = await withWorkingSchemes(map, [given], call);
  return url;
}
