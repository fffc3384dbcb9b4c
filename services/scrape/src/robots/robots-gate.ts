import { createRequire } from 'node:module';
import { LRUCache } from 'lru-cache';

interface Robots {
  isAllowed(url: string, agent: string): boolean | undefined;
  getMatchingLineNumber(url: string, agent: string): number;
}

// The package's own typings describe an ES module, which it isn't.
const robotsParser: (url: string, body: string) => Robots = createRequire(import.meta.url)('robots-parser');

/** What robots.txt of a host says about one URL. */
export interface RobotsAnswer {
  readonly allowed: boolean;
  readonly reason: string;
}

/** A robots.txt as it was answered. */
export interface RobotsFile {
  readonly status: number;
  readonly body: string;
}

/** RFC 9309 2.5: at least 500 KiB must be read; what is beyond is not. */
export const MAX_ROBOTS_BYTES = 500 * 1024;
/** RFC 9309 2.4: a cached copy should not be used for more than a day; an hour notices changes sooner. */
const KEPT_MS = 3_600_000;
/** A server fault is asked about again soon. */
const KEPT_AFTER_FAULT_MS = 60_000;
const HOSTS = 10_000;

/** What follows the product token in a user-agent line; as Google reads it, `Foo Bar` names Foo. */
const AFTER_TOKEN = /^([^\S\r\n]*user-agent[^\S\r\n]*:[^\S\r\n]*[^\s#]+)[^\S\r\n]+[^#\r\n]*/gim;

type Rules = (url: string) => RobotsAnswer;

/** Reads a file as RFC 9309 2.3 says: 4xx allows everything, 5xx nothing. */
export function readRobots(robotsUrl: string, file: RobotsFile, agent: string): { rules: Rules; keptMs: number } {
  if (file.status >= 500 || file.status === 429) {
    const reason = `robots.txt answers ${file.status}, so nothing of the host may be fetched for now (RFC 9309 2.3.1.4)`;
    return { rules: () => ({ allowed: false, reason }), keptMs: KEPT_AFTER_FAULT_MS };
  }
  if (file.status < 200 || file.status >= 300)
    return { rules: () => ({ allowed: true, reason: `robots.txt answers ${file.status}` }), keptMs: KEPT_MS };
  const robots = robotsParser(robotsUrl, file.body.replace(AFTER_TOKEN, '$1'));
  const rules: Rules = (url) => {
    if (robots.isAllowed(url, agent) !== false) return { allowed: true, reason: 'robots.txt allows it' };
    const line = robots.getMatchingLineNumber(url, agent);
    return {
      allowed: false,
      reason:
        line > 0 ? `robots.txt disallows it for ${agent} in line ${line}` : `robots.txt disallows it for ${agent}`,
    };
  };
  return { rules, keptMs: KEPT_MS };
}

/** Says whether a URL may be fetched, reading each host's robots.txt once an hour. */
export class RobotsGate {
  readonly #fetchFile: (robotsUrl: string) => Promise<RobotsFile>;
  readonly #agent: string;
  readonly #kept = new LRUCache<string, Promise<Rules>>({ max: HOSTS });

  /** @param agent the product token robots.txt names us by */
  constructor(fetchFile: (robotsUrl: string) => Promise<RobotsFile>, agent: string) {
    this.#fetchFile = fetchFile;
    this.#agent = agent;
  }

  /** @throws FetchFailed where the host can't be reached at all: then neither can the page */
  async ask(url: string): Promise<RobotsAnswer> {
    const robotsUrl = new URL('/robots.txt', url).href;
    let rules = this.#kept.get(robotsUrl);
    if (rules === undefined) {
      rules = this.#load(robotsUrl);
      this.#kept.set(robotsUrl, rules, { ttl: KEPT_MS });
    }
    return (await rules)(url);
  }

  async #load(robotsUrl: string): Promise<Rules> {
    try {
      const file = await this.#fetchFile(robotsUrl);
      const { rules, keptMs } = readRobots(robotsUrl, file, this.#agent);
      if (keptMs < KEPT_MS) this.#kept.set(robotsUrl, Promise.resolve(rules), { ttl: keptMs });
      return rules;
    } catch (error) {
      this.#kept.delete(robotsUrl);
      throw error;
    }
  }
}
