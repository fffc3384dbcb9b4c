import { promises as dns } from 'node:dns';
import { FetchFailed } from './errors.ts';

/** One answer of a resolver. */
export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Asks for every address of a name; rejects when there is none. */
export type Resolve = (name: string) => Promise<readonly ResolvedAddress[]>;

const DNS_DEADLINE_MS = 5_000;
const CACHE_MS = 10_000;
const CACHE_NAMES = 1_000;

/**
 * IPv4 first, because the guard pins one address and so there is no happy-eyeballs fallback (RFC 8305) when a host
 * without IPv6 connectivity is handed an AAAA record.
 */
export const systemResolve: Resolve = async (name) => {
  const answers = await dns.lookup(name, { all: true, order: 'ipv4first' });
  return answers.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
};

/**
 * Wraps a resolver with a deadline of 5 s and a cache of 10 s and 1,000 names. A crawl asks for the same host thousands
 * of times, and whoever uses an answer judges its addresses again. Failures are not kept. Rejects with FetchFailed 'dns'.
 */
export function cachedResolve(resolve: Resolve, now: () => number): Resolve {
  const cache = new Map<string, { readonly answer: Promise<readonly ResolvedAddress[]>; readonly expiresAt: number }>();
  return (name) => {
    const known = cache.get(name);
    if (known !== undefined && now() < known.expiresAt) return known.answer;
    const answer = withinDeadline(resolve, name);
    cache.delete(name);
    cache.set(name, { answer, expiresAt: now() + CACHE_MS });
    const oldest = cache.size > CACHE_NAMES ? cache.keys().next().value : undefined;
    if (oldest !== undefined) cache.delete(oldest);
    answer.catch(() => {
      if (cache.get(name)?.answer === answer) cache.delete(name);
    });
    return answer;
  };
}

async function withinDeadline(resolve: Resolve, name: string): Promise<readonly ResolvedAddress[]> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new FetchFailed('dns')), DNS_DEADLINE_MS);
  timer.unref();
  try {
    const answers = await Promise.race([resolve(name), late.promise]);
    if (answers.length === 0) throw new FetchFailed('dns');
    return answers;
  } catch (cause) {
    throw cause instanceof FetchFailed ? cause : new FetchFailed('dns', { cause });
  } finally {
    clearTimeout(timer);
  }
}
