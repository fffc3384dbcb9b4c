import { decidingRule, type RobotsRules, readRules } from './robots-rules.ts';

/** A robots.txt response. */
export interface RobotsFile {
  readonly status: number;
  /** Decoded by `robotsText`. */
  readonly body: string;
}

/** Whether robots.txt allows a URL. */
export interface RobotsDecision {
  readonly allowed: boolean;
  readonly reason: string;
  /** Line of the deciding rule, if there is one. */
  readonly line?: number;
}

/** The rules of one host for one crawler. */
export interface RobotsPolicy {
  /** `file`: rules were read; `none`: the host has no robots.txt and allows everything; `refused`: nothing may be fetched for now. */
  readonly kind: 'file' | 'none' | 'refused';
  /** Decides about a URL of the host. Only its path and query are used. */
  readonly decide: (url: string) => RobotsDecision;
  /** Seconds between two requests, at most `MAX_CRAWL_DELAY_SECONDS`; undefined: not specified. */
  readonly crawlDelaySeconds: number | undefined;
  /** Absolute http and https URLs, each once. */
  readonly sitemaps: readonly string[];
  /** How long the policy may be cached, ms. */
  readonly cacheMs: number;
}

/** RFC 9309 2.4 allows at most a day. An hour detects changes sooner. */
const CACHE_MS = 3_600_000;
/** Cache lifetime after a server error, ms. */
const CACHE_AFTER_ERROR_MS = 60_000;
/**
 * Crawl-delay is no part of RFC 9309. A delay of minutes, often a mistake, would stretch a crawl over weeks; other crawlers limit it to 30 s
 * too (Apache Nutch, StormCrawler).
 */
const MAX_CRAWL_DELAY_SECONDS = 30;
const MAX_SITEMAPS = 10_000;

/**
 * Interprets a response by RFC 9309 2.3: 429 and 5xx refuse everything, other statuses than 2xx allow everything.
 * `robotsUrl` is the base of relative sitemaps; `productToken` is the crawler's name.
 */
export function readRobots(robotsUrl: string, { status, body }: RobotsFile, productToken: string): RobotsPolicy {
  if (status >= 500 || status === 429) return withoutRules('refused', refusedBecause(status), CACHE_AFTER_ERROR_MS);
  if (status < 200 || status >= 300) return withoutRules('none', `robots.txt answers ${status}`, CACHE_MS);
  const rules = readRules(body, productToken);
  if (!rules.isRobotsTxt && /^\s*<(?:!doctype|html)/i.test(body))
    return withoutRules('none', 'the site answers with an HTML page instead of robots.txt', CACHE_MS);
  return {
    kind: 'file',
    decide: (url) => decide(rules, url, productToken),
    crawlDelaySeconds: secondsOf(rules.crawlDelay),
    sitemaps: sitemapsOf(rules.sitemaps, robotsUrl),
    cacheMs: CACHE_MS,
  };
}

const refusedBecause = (status: number): string =>
  `robots.txt answers ${status}, so nothing of the host may be fetched for now (RFC 9309 2.3.1.4)`;

const withoutRules = (kind: 'none' | 'refused', reason: string, cacheMs: number): RobotsPolicy => ({
  kind,
  decide: () => ({ allowed: kind === 'none', reason }),
  crawlDelaySeconds: undefined,
  sitemaps: [],
  cacheMs,
});

function decide(rules: RobotsRules, url: string, productToken: string): RobotsDecision {
  const { pathname, search } = new URL(url);
  const rule = decidingRule(rules, pathname + search);
  if (rule === undefined) return { allowed: true, reason: 'robots.txt allows it' };
  const { allows, line } = rule;
  const reason = allows ? 'robots.txt allows it' : `robots.txt disallows it for ${productToken} in line ${line}`;
  return { allowed: allows, reason, line };
}

function secondsOf(value: string | undefined): number | undefined {
  const seconds = value === undefined || value === '' ? Number.NaN : Number(value);
  return seconds >= 0 ? Math.min(seconds, MAX_CRAWL_DELAY_SECONDS) : undefined;
}

/**
 * The protocol requires absolute URLs (https://www.sitemaps.org/protocol.html). Relative ones are common and refer to this host. A URL with
 * a name and password is no public sitemap.
 */
function sitemapsOf(values: readonly string[], robotsUrl: string): string[] {
  const urls = new Set<string>();
  for (const value of values) {
    const url = URL.parse(value.split(/\s/, 1)[0] ?? '', robotsUrl);
    if (value === '' || url === null || !/^https?:$/.test(url.protocol) || url.username !== '') continue;
    if (urls.size < MAX_SITEMAPS) urls.add(url.href);
  }
  return [...urls];
}
