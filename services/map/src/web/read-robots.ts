import { FetchFailed } from '@tidemark/egress';
import { MAX_ROBOTS_BYTES, type RobotsPolicy, readRobots as readPolicy, robotsText } from '@tidemark/robots';
import type { RobotsReport } from '../domain/tree.ts';
import { type Open, type OpenOptions, readBytes } from './open-file.ts';

export interface SiteRobots {
  readonly report: RobotsReport;
  /** Whether the site's robots.txt allows a URL. It says nothing about URLs of other hosts. */
  allows(url: string): boolean;
  /** URL of robots.txt after redirects, which may lead to another host. */
  readonly landedUrl: string;
  /** True if the host gave no response. */
  readonly isUnreachable: boolean;
}

/** Reads a site's robots.txt. @throws only the signal's reason */
export async function readRobots(open: Open, agent: string, url: string, options: OpenOptions): Promise<SiteRobots> {
  const robotsUrl = new URL('/robots.txt', url).href;
  try {
    const { status, landedUrl, body } = await open(robotsUrl, options);
    const isFile = status >= 200 && status < 300;
    if (!isFile) body.destroy();
    const text = isFile ? robotsText(await readBytes(body, MAX_ROBOTS_BYTES + 1)) : '';
    return siteRobots(url, { status, landedUrl, policy: readPolicy(robotsUrl, { status, body: text }, agent) });
  } catch (error) {
    options.signal.throwIfAborted();
    const reason =
      error instanceof FetchFailed ? error.message : 'the connection was closed before the response was complete';
    const report = {
      status: 0,
      found: false,
      allowed: false,
      sitemaps: [],
      crawlDelay: undefined,
      reason: `robots.txt could not be read: ${reason}`,
    };
    return { report, allows: () => false, landedUrl: robotsUrl, isUnreachable: true };
  }
}

interface ReadPolicy {
  readonly status: number;
  readonly landedUrl: string;
  readonly policy: RobotsPolicy;
}

/** The rules hold for the host that was requested and for the one that a redirect of robots.txt leads to (RFC 9309 2.3.1.2). */
function siteRobots(url: string, { status, landedUrl, policy }: ReadPolicy): SiteRobots {
  const hosts = new Set([new URL(url).host, new URL(landedUrl).host]);
  const { allowed, reason } = policy.decide(url);
  return {
    report: {
      status,
      found: policy.kind === 'file',
      allowed,
      sitemaps: policy.sitemaps,
      crawlDelay: policy.crawlDelaySeconds,
      reason,
    },
    allows: (candidate) => {
      const host = URL.parse(candidate)?.host;
      return host === undefined || !hosts.has(host) || policy.decide(candidate).allowed;
    },
    landedUrl: policy.kind === 'file' ? landedUrl : new URL('/robots.txt', url).href,
    isUnreachable: false,
  };
}
