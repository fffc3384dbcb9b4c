import { createRequire } from 'node:module';
import { normalizeRobots } from './normalize-robots.ts';

interface Robots {
  isAllowed(url: string, agent: string): boolean | undefined;
  getMatchingLineNumber(url: string, agent: string): number;
  getCrawlDelay(agent: string): number | undefined;
  getSitemaps(): string[];
}

// The package's typings describe an ES module, but it is CommonJS.
const robotsParser: (url: string, body: string) => Robots = createRequire(import.meta.url)('robots-parser');

/** Whether robots.txt allows a URL. */
export interface RobotsDecision {
  readonly allowed: boolean;
  readonly reason: string;
  /** Line of the deciding rule, if there is one. */
  readonly line?: number;
}

/** A robots.txt response. */
export interface RobotsFile {
  readonly status: number;
  readonly body: string;
}

/** The parsed robots.txt of a host. */
export interface RobotsRules {
  readonly rules: (url: string) => RobotsDecision;
  /** Seconds between two requests, at most a day; undefined if not specified. */
  readonly crawlDelaySeconds: number | undefined;
  /** Absolute URLs, each once. */
  readonly sitemaps: readonly string[];
  /** Cache lifetime, ms. */
  readonly cacheMs: number;
}

/** RFC 9309 2.4 allows at most a day. An hour detects changes sooner. */
export const CACHE_MS = 3_600_000;
/** Cache lifetime after a server error, ms. */
const CACHE_AFTER_ERROR_MS = 60_000;
const MAX_DELAY_SECONDS = 86_400;
const MAX_SITEMAPS = 10_000;

/** Interprets a response after RFC 9309 2.3: 4xx allows everything, 5xx nothing. */
export function readRobots(robotsUrl: string, file: RobotsFile, agent: string): RobotsRules {
  const noRules = { crawlDelaySeconds: undefined, sitemaps: [] };
  if (file.status >= 500 || file.status === 429) {
    const reason = `robots.txt answers ${file.status}, so nothing of the host may be fetched for now (RFC 9309 2.3.1.4)`;
    return { ...noRules, rules: () => ({ allowed: false, reason }), cacheMs: CACHE_AFTER_ERROR_MS };
  }
  if (file.status < 200 || file.status >= 300) {
    const reason = `robots.txt answers ${file.status}`;
    return { ...noRules, rules: () => ({ allowed: true, reason }), cacheMs: CACHE_MS };
  }
  const { text, lineOf } = normalizeRobots(file.body);
  const robots = robotsParser(robotsUrl, text);
  const rules = (url: string): RobotsDecision => {
    const line = lineOf(robots.getMatchingLineNumber(url, agent));
    const decided = line > 0 ? { line } : {};
    if (robots.isAllowed(url, agent) !== false) return { allowed: true, reason: 'robots.txt allows it', ...decided };
    const where = line > 0 ? ` in line ${line}` : '';
    return { allowed: false, reason: `robots.txt disallows it for ${agent}${where}`, ...decided };
  };
  const delay = robots.getCrawlDelay(agent);
  return {
    rules,
    crawlDelaySeconds: delay === undefined || !(delay >= 0) ? undefined : Math.min(delay, MAX_DELAY_SECONDS),
    sitemaps: sitemapsOf(robots, robotsUrl),
    cacheMs: CACHE_MS,
  };
}

/**
 * The protocol requires absolute URLs. Relative ones are common and refer to this host.
 * https://www.sitemaps.org/protocol.html
 */
function sitemapsOf(robots: Robots, robotsUrl: string): string[] {
  const found = robots.getSitemaps().flatMap((sitemap) => {
    const url = URL.parse(sitemap, robotsUrl);
    return url !== null && /^https?:$/.test(url.protocol) ? [url.href] : [];
  });
  return [...new Set(found)].slice(0, MAX_SITEMAPS);
}
