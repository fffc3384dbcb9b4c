import { createRequire } from 'node:module';
import { FetchFailed } from '@tidemark/egress';
import type { RobotsFacts } from '../domain/tree.ts';
import { type Open, type OpenOptions, readText } from './open-file.ts';

interface Robots {
  isAllowed(url: string, agent: string): boolean | undefined;
  getCrawlDelay(agent: string): number | undefined;
}

// The package's own typings describe an ES module, which it isn't.
const robotsParser: (url: string, body: string) => Robots = createRequire(import.meta.url)('robots-parser');

/** RFC 9309 2.5. */
const MAX_BYTES = 500 * 1024;
const MAX_SITEMAPS = 1_000;
/** Rules with more wildcards than this, all together, are not judged: matching costs a walk for each. */
const MAX_WILDCARDS = 5_000;

export interface SiteRobots {
  readonly facts: RobotsFacts;
  allows(url: string): boolean;
  /** Where the file was found in the end: a site may live on another host than the one asked for. */
  readonly landedUrl: string;
  /** The host can't be reached at all. */
  readonly isUnreachable: boolean;
}

/** Reads a site's robots.txt as RFC 9309 2.3 says: 4xx allows everything, 5xx nothing. Never throws, but for a signal. */
export async function readRobots(open: Open, agent: string, url: string, options: OpenOptions): Promise<SiteRobots> {
  const robotsUrl = new URL('/robots.txt', url).href;
  const none = { found: false, sitemaps: [], crawlDelay: undefined };
  try {
    const { status, landedUrl, body } = await open(robotsUrl, options);
    if (status === 429 || status >= 500) {
      body.destroy();
      const reason = `robots.txt answers ${status}, so nothing of the host may be fetched for now (RFC 9309 2.3.1.4)`;
      return ruled(robotsUrl, { ...none, status, allowed: false, reason }, () => false);
    }
    if (status < 200 || status >= 300) {
      body.destroy();
      return ruled(robotsUrl, { ...none, status, allowed: true, reason: `robots.txt answers ${status}` }, () => true);
    }
    return judged(agent, url, { robotsUrl, landedUrl, status, text: await readText(body, MAX_BYTES) });
  } catch (error) {
    options.signal.throwIfAborted();
    const reason =
      error instanceof FetchFailed ? error.message : 'the connection was closed before the answer was complete';
    const facts = { ...none, status: 0, allowed: false, reason: `robots.txt could not be read: ${reason}` };
    return { ...ruled(robotsUrl, facts, () => false), isUnreachable: true };
  }
}

const ruled = (landedUrl: string, facts: RobotsFacts, allows: (url: string) => boolean): SiteRobots => ({
  facts,
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

function judged(agent: string, url: string, { robotsUrl, landedUrl, status, text }: RobotsText): SiteRobots {
  // A page in its place says nothing.
  if (/^\s*<(?:!doctype|html)/i.test(text)) {
    const facts = { status, found: false, allowed: true, sitemaps: [], crawlDelay: undefined };
    return ruled(landedUrl, { ...facts, reason: 'a page is answered in place of robots.txt' }, () => true);
  }
  const isHostile = text.split('*').length > MAX_WILDCARDS;
  const parser = robotsParser(landedUrl, isHostile ? '' : text.replace(/^\ufeff/, ''));
  const allows = (address: string): boolean => {
    const here = URL.parse(address);
    if (here === null || here.host !== new URL(landedUrl).host) return true;
    return parser.isAllowed(new URL(here.pathname + here.search, landedUrl).href, agent) !== false;
  };
  const delay = parser.getCrawlDelay(agent);
  const asked = new URL(new URL(url).pathname, landedUrl).href;
  const allowed = allows(asked);
  return ruled(
    landedUrl,
    {
      status,
      found: true,
      allowed,
      sitemaps: sitemapsOf(text, robotsUrl),
      crawlDelay: delay !== undefined && delay >= 0 ? delay : undefined,
      reason: allowed ? 'robots.txt allows it' : `robots.txt disallows it for ${agent}`,
    },
    allows,
  );
}

/** The protocol wants whole addresses; relative ones are common and mean this host. */
function sitemapsOf(text: string, robotsUrl: string): string[] {
  const found = text.split(/\r\n|\r|\n/).flatMap((line) => {
    const told = /^\s*site-?map\s*:\s*(\S+)/i.exec(line.slice(0, 4_096))?.[1];
    const url = told === undefined ? null : URL.parse(told, robotsUrl);
    return url !== null && /^https?:$/.test(url.protocol) && url.username === '' ? [url.href] : [];
  });
  return [...new Set(found)].slice(0, MAX_SITEMAPS);
}
