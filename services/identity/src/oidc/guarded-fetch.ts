import type { HttpClient } from '@tidemark/egress';
import type { CustomFetch } from 'openid-client';

const TIMEOUT_MS = 10_000;
/** A discovery document or a key set; the largest in use have some 30 KB. */
const MAX_BODY_BYTES = 1_000_000;

/** Returns a `fetch` whose connections pass the egress guard. Redirects are responses: the protocol has none between servers. */
export const makeGuardedFetch =
  (http: Pick<HttpClient, 'fetch'>): CustomFetch =>
  async (url, { method, headers, body, signal }) => {
    const sent = typeof body === 'string' || body instanceof URLSearchParams ? { body: String(body) } : {};
    const limits = { timeoutMs: TIMEOUT_MS, maxBodyBytes: MAX_BODY_BYTES, maxRedirects: 0 };
    const stop = signal === undefined ? {} : { signal };
    const response = await http.fetch(url, { method, headers, ...sent, ...limits, ...stop });
    const received = new Headers();
    for (const [name, value] of Object.entries(response.headers))
      for (const one of [value ?? []].flat()) received.append(name, one);
    // The body is decoded already.
    received.delete('content-encoding');
    const { status } = response;
    return new Response(status === 204 || status === 304 ? null : new Uint8Array(response.body), {
      status,
      headers: received,
    });
  };
