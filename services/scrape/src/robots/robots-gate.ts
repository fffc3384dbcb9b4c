import { FetchFailed } from '@tidemark/egress';
import { LRUCache } from 'lru-cache';
import { KEPT_MS, type RobotsAnswer, type RobotsFile, type RobotsRules, readRobots } from './robots-rules.ts';

export { type RobotsAnswer, type RobotsFile, type RobotsRules, readRobots } from './robots-rules.ts';

const HOSTS = 10_000;
/** Characters of all files kept; read, each takes some ten times its size. */
const KEPT_CHARS = 16 * 1024 * 1024;
/** What a file that allows everything takes. */
const LEAST_CHARS = 256;

/** Says whether a URL may be fetched, reading each host's robots.txt once an hour. */
export class RobotsGate {
  readonly #fetchFile: (robotsUrl: string) => Promise<RobotsFile>;
  readonly #agent: string;
  readonly #kept = new LRUCache<string, Promise<RobotsRules>>({ max: HOSTS, maxSize: KEPT_CHARS });

  /** @param agent the product token robots.txt names us by */
  constructor(fetchFile: (robotsUrl: string) => Promise<RobotsFile>, agent: string) {
    this.#fetchFile = fetchFile;
    this.#agent = agent;
  }

  /**
   * @param withinMs how long the asker can wait; others that wait for the same host go on waiting
   * @throws FetchFailed where the host can't be reached at all, or not in time: then neither can the page
   */
  async ask(url: string, withinMs?: number): Promise<RobotsAnswer> {
    return (await this.rulesOf(url, withinMs)).rules(url);
  }

  /** What the host of a URL asks for: rules, crawl delay, sitemaps. @throws FetchFailed as `ask` does */
  async rulesOf(url: string, withinMs?: number): Promise<RobotsRules> {
    const robotsUrl = new URL('/robots.txt', url).href;
    let rules = this.#kept.get(robotsUrl);
    if (rules === undefined) {
      rules = this.#load(robotsUrl);
      this.#kept.set(robotsUrl, rules, { ttl: KEPT_MS, size: LEAST_CHARS });
    }
    return withinMs === undefined ? rules : inTime(rules, withinMs);
  }

  async #load(robotsUrl: string): Promise<RobotsRules> {
    try {
      const file = await this.#fetchFile(robotsUrl);
      const read = readRobots(robotsUrl, file, this.#agent);
      const size = LEAST_CHARS + file.body.length;
      this.#kept.set(robotsUrl, Promise.resolve(read), { ttl: read.keptMs, size });
      return read;
    } catch (error) {
      this.#kept.delete(robotsUrl);
      throw error;
    }
  }
}

/** A promise's outcome, or a failed fetch where it takes too long. The promise goes on for whoever else waits. */
async function inTime<T>(promise: Promise<T>, withinMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new FetchFailed('timeout')), Math.max(0, withinMs));
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
