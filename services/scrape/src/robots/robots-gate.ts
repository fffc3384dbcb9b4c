import { within } from '@tidemark/deadline';
import { FetchFailed } from '@tidemark/egress';
import { type RobotsDecision, type RobotsFile, type RobotsPolicy, readRobots } from '@tidemark/robots';
import { LRUCache } from 'lru-cache';

const HOSTS = 10_000;
/** Limit for all cached files, characters. Parsed rules take about ten times their size. */
const CACHE_CHARS = 16 * 1024 * 1024;
/** Limit for the entry of a file that is being fetched, ms. Its result replaces the entry. */
const LOADING_MS = 3_600_000;
/** Size counted for an empty file. */
const MIN_ENTRY_CHARS = 256;

/** Checks whether a URL may be fetched. Caches each host's robots.txt for an hour. */
export class RobotsGate {
  readonly #fetchFile: (robotsUrl: string) => Promise<RobotsFile>;
  readonly #agent: string;
  readonly #cache = new LRUCache<string, Promise<RobotsPolicy>>({ max: HOSTS, maxSize: CACHE_CHARS });

  /** @param agent product token of this crawler in robots.txt */
  constructor(fetchFile: (robotsUrl: string) => Promise<RobotsFile>, agent: string) {
    this.#fetchFile = fetchFile;
    this.#agent = agent;
  }

  /**
   * @param withinMs time limit of the caller; other callers that wait for the same host are not affected
   * @throws FetchFailed if the host cannot be reached, or not in time; then the page cannot be fetched either
   */
  async check(url: string, withinMs?: number): Promise<RobotsDecision> {
    return (await this.policyOf(url, withinMs)).decide(url);
  }

  /**
   * Returns the rules, crawl delay and sitemaps of a URL's host.
   * @throws FetchFailed as `check` does
   */
  async policyOf(url: string, withinMs?: number): Promise<RobotsPolicy> {
    const robotsUrl = new URL('/robots.txt', url).href;
    let policy = this.#cache.get(robotsUrl);
    if (policy === undefined) {
      policy = this.#load(robotsUrl);
      this.#cache.set(robotsUrl, policy, { ttl: LOADING_MS, size: MIN_ENTRY_CHARS });
    }
    if (withinMs === undefined) return policy;
    // The request itself continues for other callers.
    return within(policy, withinMs, () => {
      throw new FetchFailed('timeout');
    });
  }

  async #load(robotsUrl: string): Promise<RobotsPolicy> {
    try {
      const file = await this.#fetchFile(robotsUrl);
      const read = readRobots(robotsUrl, file, this.#agent);
      const size = MIN_ENTRY_CHARS + file.body.length;
      this.#cache.set(robotsUrl, Promise.resolve(read), { ttl: read.cacheMs, size });
      return read;
    } catch (error) {
      this.#cache.delete(robotsUrl);
      throw error;
    }
  }
}
