import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllowList, USER_AGENT } from '@tidemark/egress';
import { z } from 'zod';

const wholeNumber = (least: number, most: number, usual: number) =>
  z.coerce.number().int().min(least).max(most).default(usual);

/** Settings of the service. Limits that no operator has a reason to change are constants beside the code they bound. */
export const config = {
  /** The Chromium or headless shell to run. */
  CHROMIUM_PATH: z.string().min(1),
  /** Hosts, host:port or CIDRs the egress guard lets through beside the public web. */
  TIDEMARK_EGRESS_ALLOW: z
    .string()
    .default('')
    .transform((text, context) => {
      try {
        return parseAllowList(text);
      } catch (error) {
        context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : 'unreadable' });
        return z.NEVER;
      }
    }),
  /** The one user agent Tidemark fetches under. */
  TIDEMARK_USER_AGENT: z.string().min(1).default(USER_AGENT),
  /** Exits: `name=url;country=DE;kind=residential`, comma-separated, or the path of a JSON file. Holds credentials. */
  TIDEMARK_EXITS: z.string().default(''),
  /** A small page that is the same for every visitor, fetched directly and through each exit: shows that exits do not change pages. */
  TIDEMARK_PARITY_URL: z.url().optional(),
  /** Redis, where the health of exits is kept for the whole fleet; without it each instance keeps its own in memory. */
  REDIS_URL: z.string().optional(),
  /** Where the CONNECT endpoint listens, through which scrape reaches sites by an exit. Unused without exits. */
  EXIT_PROXY_LISTEN: z.string().default('0.0.0.0:3128'),
  /** Host name or address at which scrape reaches that endpoint of this instance; by default the address of this machine. */
  EXIT_PROXY_HOST: z.string().min(1).optional(),
  /** Tunnels open at once at that endpoint. */
  EXIT_PROXY_TUNNELS: wholeNumber(1, 100_000, 512),
  /** Pages open at once. */
  BROWSER_TABS: wholeNumber(1, 64, 4),
  /** Renders that may wait for a tab; one more is refused at once. */
  QUEUE_LIMIT: wholeNumber(0, 10_000, 64),
  /** A browser is replaced at this age, after this many pages, or above this memory (PSS of its whole tree). */
  BROWSER_MAX_AGE_SECONDS: wholeNumber(1, 86_400, 1_800),
  BROWSER_MAX_PAGES: wholeNumber(1, 1_000_000, 1_000),
  BROWSER_MAX_MEGABYTES: wholeNumber(100, 1_000_000, 800),
  /** A browser with nothing to do is closed after this long; the next Render launches one. */
  BROWSER_IDLE_SECONDS: wholeNumber(1, 86_400, 300),
  /** A browser that answers nothing for this long is killed. */
  BROWSER_HANG_MS: wholeNumber(500, 60_000, 5_000),
  /** Pages of one workspace and one origin that may follow each other in one context; its memory goes with it. */
  CONTEXT_MAX_PAGES: wholeNumber(1, 10_000, 50),
  /** Sessions kept between their pages, and how long each waits for its next one. */
  BROWSER_SESSIONS: wholeNumber(0, 1_000, 8),
  BROWSER_SESSION_SECONDS: wholeNumber(1, 3_600, 300),
  /** What one page may bring over the network, everything counted. */
  PAGE_MAX_MEGABYTES: wholeNumber(1, 10_000, 64),
  /** Where browser profiles are kept while they are used. */
  PROFILE_DIR: z.string().default(join(tmpdir(), 'tidemark-browser')),
} as const;
