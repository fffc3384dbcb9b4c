import { createRequire } from 'node:module';
import { FetchFailed } from '@tidemark/egress';
import type { RobotsReport } from '../domain/tree.ts';
import { type Open, type OpenOptions, readText } from './open-file.ts';

interface Robots {
  isAllowed(url: string, agent: string): boolean | undefined;
  getCrawlDelay(agent: string): number | undefined;
}

// The package is CommonJS, but its typings describe an ES module.
const robotsParser: (url: string, body: string) => Robots = createRequire(import.meta.url)('robots-parser');

/** RFC 9309 2.5: at least 500 KiB must be parsed. */
const MAX_BYTES = 500 * 1024;
const MAX_SITEMAPS = 1_000;
/** A file with more wildcards is not evaluated: matching takes a scan per wildcard. */
const MAX_WILDCARDS = 5_000;

export interface SiteRobots {
  readonly report: RobotsReport;
  allows(url: string): boolean;
  /** URL of robots.txt after redirects, which may lead to another host. */
  readonly landedUrl: string;
  /** True if the host gave no response. */
  readonly isUnreachable: boolean;
}

/** Reads a site's robots.txt according to RFC 9309 2.3: 4xx allows everything, 5xx and 429 nothing. @throws only the signal's reason */
export async function readRobots(open: Open, agent: string, url: string, options: OpenOptions): Promise<SiteRobots> {
  const robotsUrl = new URL('/robots.txt', url).href;
  const none = { found: false, sitemaps: [], crawlDelay: undefined };
  try {
    const { status, landedUrl, body } = await open(robotsUrl, options);
    if (status === 429 || status >= 500) {
      body.destroy();
      const reason = `robots.txt answers ${status}, so the host may not be fetched for now (RFC 9309 2.3.1.4)`;
      return toRobots(robotsUrl, { ...none, status, allowed: false, reason }, () => false);
    }
    if (status < 200 || status >= 300) {
      body.destroy();
      return toRobots(
        robotsUrl,
        { ...none, status, allowed: true, reason: `robots.txt answers ${status}` },
        () => true,
      );
    }
    return parseRobots(agent, url, { robotsUrl, landedUrl, status, text: await readText(body, MAX_BYTES) });
  } catch (error) {
    options.signal.throwIfAborted();
    const reason =
      error instanceof FetchFailed ? error.message : 'the connection was closed before the response was complete';
    const report = { ...none, status: 0, allowed: false, reason: `robots.txt could not be read: ${reason}` };
    return { ...toRobots(robotsUrl, report, () => false), isUnreachable: true };
  }
}

const toRobots = (landedUrl: string, report: RobotsReport, allows: (url: string) => boolean): SiteRobots => ({
  report,
  allows,
  landedUrl,
  isUnreachable: false,
});

interface RobotsText {
  readonly robotsUrl: string;
  readonly landedUrl: string;
  readonly status: number;
  readonly text: string;
}

function parseRobots(agent: string, url: string, { robotsUrl, landedUrl, status, text }: RobotsText): SiteRobots {
  if (/^\s*<(?:!doctype|html)/i.test(text)) {
    const report = { status, found: false, allowed: true, sitemaps: [], crawlDelay: undefined };
    const reason = 'the site answers with an HTML page instead of robots.txt';
    return toRobots(landedUrl, { ...report, reason }, () => true);
  }
  const isHostile = text.split('*').length > MAX_WILDCARDS;
  const parser = robotsParser(landedUrl, isHostile ? '' : text.replace(/^\ufeff/, ''));
  const allows = (candidate: string): boolean => {
    const parsed = URL.parse(candidate);
    if (parsed === null || parsed.host !== new URL(landedUrl).host) return true;
    return parser.isAllowed(new URL(parsed.pathname + parsed.search, landedUrl).href, agent) !== false;
  };
  const delay = parser.getCrawlDelay(agent);
  const pageUrl = new URL(new URL(url).pathname, landedUrl).href;
  const allowed = allows(pageUrl);
  return toRobots(
    landedUrl,
    {
      status,
      found: true,
      allowed,
      sitemaps: sitemapsOf(text, robotsUrl),
      crawlDelay: delay !== undefined && delay >= 0 ? delay : undefined,
      reason: allowed ? 'robots.txt allows the page' : `robots.txt disallows the page for ${agent}`,
    },
    allows,
  );
}

/** The protocol requires absolute URLs. Relative ones are common and are resolved against this host. */
function sitemapsOf(text: string, robotsUrl: string): string[] {
  const found = text.split(/\r\n|\r|\n/).flatMap((line) => {
    const declared = /^\s*site-?map\s*:\s*(\S+)/i.exec(line.slice(0, 4_096))?.[1];
    const url = declared === undefined ? null : URL.parse(declared, robotsUrl);
    return url !== null && /^https?:$/.test(url.protocol) && url.username === '' ? [url.href] : [];
  });
  return [...new Set(found)].slice(0, MAX_SITEMAPS);
}
