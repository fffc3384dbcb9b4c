import { createHash } from 'node:crypto';
import type { Access } from '@tidemark/mcp-tools';
import { LRUCache } from 'lru-cache';

/** Lifetime of an accepted key, ms: a revoked key is refused within five seconds, together with the cache of the gateway. */
const CACHE_MS = 1_500;
const MAX = 10_000;

/** Caches what keys may do. Failures are not cached. */
export class AccessCache {
  readonly #load: (key: string, forwardedFor: string) => Promise<Access>;
  readonly #entries = new LRUCache<string, Promise<Access>>({ max: MAX, ttl: CACHE_MS });

  constructor(load: (key: string, forwardedFor: string) => Promise<Access>) {
    this.#load = load;
  }

  /** `forwardedFor`: the addresses of the client and its proxies. @throws TidemarkError of the API, such as unauthorized */
  async of(key: string, forwardedFor: string): Promise<Access> {
    // Names are hashes, so that a memory dump contains no keys.
    const name = createHash('sha256').update(key).digest('base64');
    const known = this.#entries.get(name);
    if (known !== undefined) return await known;
    const access = this.#load(key, forwardedFor);
    this.#entries.set(name, access);
    access.catch(() => this.#entries.delete(name));
    return await access;
  }
}
