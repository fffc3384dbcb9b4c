import { parseArgs } from 'node:util';

/** Settings of a test site. The same settings serve the same bytes. */
export interface SiteOptions {
  readonly seed: number;
  /** Pages of the site that return 200, about. */
  readonly pages: number;
  /** Files of the sitemap tree. */
  readonly sitemaps: number;
  /** Share of pages edited, added and removed from one generation to the next. */
  readonly edited: number;
  readonly added: number;
  readonly removed: number;
  /** Delay of every page, ms, and the most that is added to it, by path. */
  readonly latencyMs: number;
  readonly jitterMs: number;
  /** Delay of the slow pages, ms. */
  readonly slowMs: number;
  /** Requests a second that the limited section allows; also its burst. */
  readonly rate: number;
  /** Crawl-delay of robots.txt, seconds; 0: none. */
  readonly crawlDelay: number;
  /** Whether the home page links to the endless sections. They are served in any case. */
  readonly traps: boolean;
  /** Whether every page is built and compressed before the site responds. */
  readonly prewarm: boolean;
}

export const USUAL: SiteOptions = {
  seed: 1,
  pages: 5_000,
  sitemaps: 12,
  edited: 0.08,
  added: 0.03,
  removed: 0.02,
  latencyMs: 0,
  jitterMs: 0,
  slowMs: 400,
  rate: 20,
  crawlDelay: 0,
  traps: false,
  prewarm: false,
};

/** Where a site listens: consecutive loopback addresses from the first, each of them a host with counters of its own. */
export interface Listen {
  readonly host: string;
  readonly hosts: number;
  readonly port: number;
}

/** Options of the command line of `main.ts`. */
export function readCommandLine(args: readonly string[]): { readonly options: SiteOptions; readonly listen: Listen } {
  const { values } = parseArgs({
    args: [...args],
    options: {
      settings: { type: 'string', default: '{}' },
      host: { type: 'string', default: '127.0.0.1' },
      hosts: { type: 'string', default: '1' },
      port: { type: 'string', default: '0' },
    },
  });
  const given: Partial<SiteOptions> = JSON.parse(values.settings);
  const listen = { host: values.host, hosts: Number(values.hosts), port: Number(values.port) };
  return { options: { ...USUAL, ...given }, listen };
}
