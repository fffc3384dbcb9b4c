import type { Open } from './open-file.ts';

export const MAX_PROBED = 1_000;
const PROBE_TIMEOUT_MS = 3_000;
const TOTAL_TIMEOUT_MS = 6_000;
/** URLs of one request that are probed concurrently. */
const CONCURRENCY = 32;

/** Returns the URLs with the scheme under which their hosts respond. */
export type FindSchemes = (urls: readonly string[]) => Promise<string[]>;

/**
 * Makes a function that requests robots.txt of each https URL's host, and once over http where https gives no response. A URL whose host
 * responds over http alone is returned with http; every other one, and what is not probed within six seconds, unchanged. Never rejects.
 */
export function makeFindSchemes(open: Open): FindSchemes {
  return async (urls) => {
    const deadline = AbortSignal.timeout(TOTAL_TIMEOUT_MS);
    const found = [...urls];
    const queue = urls.entries();
    // URLs of one host share its probe.
    const probes = new Map<string, Promise<boolean>>();
    const responds = (url: URL): Promise<boolean> => {
      const probe = probes.get(url.origin) ?? givesResponse(open, url, deadline);
      probes.set(url.origin, probe);
      return probe;
    };
    const probeNext = async (): Promise<void> => {
      for (const [at, url] of queue) found[at] = await findScheme(responds, url);
    };
    await Promise.all(Array.from({ length: Math.min(CONCURRENCY, urls.length) }, probeNext));
    return found;
  };
}

async function findScheme(responds: (url: URL) => Promise<boolean>, url: string): Promise<string> {
  const parsed = URL.parse(url);
  if (parsed?.protocol !== 'https:' || (await responds(parsed))) return url;
  parsed.protocol = 'http:';
  return (await responds(parsed)) ? parsed.href : url;
}

/** Returns whether a host gives any response. An address that the egress guard refuses gives none. */
async function givesResponse(open: Open, url: URL, deadline: AbortSignal): Promise<boolean> {
  if (deadline.aborted) return false;
  try {
    const signal = AbortSignal.any([deadline, AbortSignal.timeout(PROBE_TIMEOUT_MS)]);
    const { body } = await open(new URL('/robots.txt', url).href, { signal, timeoutMs: PROBE_TIMEOUT_MS });
    body.destroy();
    return true;
  } catch {
    return false;
  }
}
