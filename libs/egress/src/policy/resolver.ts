import { promises as dns } from 'node:dns';
import { within } from '@tidemark/deadline';
import { LRUCache } from 'lru-cache';
import { FetchFailed } from '../errors/errors.ts';

/** One resolved address. */
export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Resolves every address of a name; rejects if there is none. */
export type Resolve = (name: string) => Promise<readonly ResolvedAddress[]>;

interface CachedAnswer {
  readonly answer: Promise<readonly ResolvedAddress[]>;
  readonly expiresAt: number;
}

const DNS_DEADLINE_MS = 5_000;
const CACHE_MS = 10_000;
const CACHE_NAMES = 1_000;

/**
 * Resolves with getaddrinfo, IPv4 first: the guard pins one address, so there is no happy-eyeballs fallback (RFC 8305) for a
 * machine without IPv6 connectivity.
 */
export const systemResolve: Resolve = async (name) => {
  const answers = await dns.lookup(name, { all: true, order: 'ipv4first' });
  return answers.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
};

/**
 * Wraps a resolver with a deadline of 5 s and a cache of 10 s and 1,000 names, since a crawl resolves the same host
 * thousands of times. The guard checks cached addresses again on each use. Failures are not cached. Rejects with
 * FetchFailed 'dns'.
 */
export function cachedResolve(resolve: Resolve, now: () => number): Resolve {
  const cache = new LRUCache<string, CachedAnswer>({ max: CACHE_NAMES });
  return (name) => {
    const cached = cache.get(name);
    if (cached !== undefined && now() < cached.expiresAt) return cached.answer;
    const answer = withinDeadline(resolve, name);
    cache.set(name, { answer, expiresAt: now() + CACHE_MS });
    answer.catch(() => {
      if (cache.get(name)?.answer === answer) cache.delete(name);
    });
    return answer;
  };
}

async function withinDeadline(resolve: Resolve, name: string): Promise<readonly ResolvedAddress[]> {
  try {
    const answers = await within(resolve(name), DNS_DEADLINE_MS, () => []);
    if (answers.length === 0) throw new FetchFailed('dns');
    return answers;
  } catch (cause) {
    throw cause instanceof FetchFailed ? cause : new FetchFailed('dns', { cause });
  }
}
