import { createRequire } from 'node:module';
import { tidyRobots } from './tidy-robots.ts';

interface Robots {
  isAllowed(url: string, agent: string): boolean | undefined;
  getMatchingLineNumber(url: string, agent: string): number;
  getCrawlDelay(agent: string): number | undefined;
  getSitemaps(): string[];
}

// The package's own typings describe an ES module, which it isn't.
const robotsParser: (url: string, body: string) => Robots = createRequire(import.meta.url)('robots-parser');

/** What robots.txt of a host says about one URL. */
export interface RobotsAnswer {
  readonly allowed: boolean;
  readonly reason: string;
  /** The line of the rule that decides, where there is one. */
  readonly line?: number;
}

/** A robots.txt as it was answered. */
export interface RobotsFile {
  readonly status: number;
  readonly body: string;
}

/** What a host asks of us. */
export interface RobotsRules {
  readonly rules: (url: string) => RobotsAnswer;
  /** Seconds the host wants between two requests, at most a day; undefined where it says nothing. */
  readonly crawlDelaySeconds: number | undefined;
  /** Absolute addresses, each once. */
  readonly sitemaps: readonly string[];
  /** How long this may be believed. */
  readonly keptMs: number;
}

/** RFC 9309 2.4: a cached copy should not be used for more than a day; an hour notices changes sooner. */
export const KEPT_MS = 3_600_000;
/** A server fault is asked about again soon. */
const KEPT_AFTER_FAULT_MS = 60_000;
const MAX_DELAY_SECONDS = 86_400;
const MAX_SITEMAPS = 10_000;

/** Reads a file as RFC 9309 2.3 says: 4xx allows everything, 5xx nothing. */
export function readRobots(robotsUrl: string, file: RobotsFile, agent: string): RobotsRules {
  const nothing = { crawlDelaySeconds: undefined, sitemaps: [] };
  if (file.status >= 500 || file.status === 429) {
    const reason = `robots.txt answers ${file.status}, so nothing of the host may be fetched for now (RFC 9309 2.3.1.4)`;
    return { ...nothing, rules: () => ({ allowed: false, reason }), keptMs: KEPT_AFTER_FAULT_MS };
  }
  if (file.status < 200 || file.status >= 300) {
    const reason = `robots.txt answers ${file.status}`;
    return { ...nothing, rules: () => ({ allowed: true, reason }), keptMs: KEPT_MS };
  }
  const { text, lineOf } = tidyRobots(file.body);
  const robots = robotsParser(robotsUrl, text);
  const rules = (url: string): RobotsAnswer => {
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
    keptMs: KEPT_MS,
  };
}

/** The protocol wants whole addresses; relative ones are common and mean this host. https://www.sitemaps.org/protocol.html */
function sitemapsOf(robots: Robots, robotsUrl: string): string[] {
  const found = robots.getSitemaps().flatMap((told) => {
    const url = URL.parse(told, robotsUrl);
    return url !== null && /^https?:$/.test(url.protocol) ? [url.href] : [];
  });
  return [...new Set(found)].slice(0, MAX_SITEMAPS);
}
