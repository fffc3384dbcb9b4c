import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { USER_AGENT } from '@tidemark/egress';
import { z } from 'zod';
import { SANDBOX_SETTINGS } from './chromium/sandbox.ts';

const wholeNumber = (min: number, max: number, fallback: number) =>
  z.coerce.number().int().min(min).max(max).default(fallback);

/** Settings of the service. Limits that operators need not change are constants in the code. */
export const config = {
  /** The Chromium or headless shell to run. */
  CHROMIUM_PATH: z.string().min(1),
  /**
   * Chromium's sandbox (user namespaces). With `on` the service does not start where the kernel or the container forbids it; as root, Chromium is
   * started as an ordinary user of its own namespace. `off` is logged at start.
   */
  CHROMIUM_SANDBOX: z.enum(SANDBOX_SETTINGS).default('on'),
  /** Hosts, host:port or CIDRs that the egress guard allows in addition to the public web. */
  TIDEMARK_EGRESS_ALLOW: z.string().default(''),
  /** Ports of the fleet and its servers, comma-separated, which the egress guard refuses even where the address is allowed. */
  TIDEMARK_OWN_PORTS: z.string().default(''),
  /** Proxy of the network through which connections leave: http://, https:// or socks5:// URL, credentials included. @defaultValue none */
  HTTPS_PROXY: z.string().default(''),
  /** Names (with their subdomains), addresses or CIDRs that are reached without HTTPS_PROXY; comma-separated. */
  NO_PROXY: z.string().default(''),
  /** Host in the requests to HTTPS_PROXY: the checked `address`, or the `name`, which the proxy resolves itself. */
  TIDEMARK_PROXY_TARGET: z.enum(['address', 'name']).default('address'),
  /** User agent of all fetches, sent and visible to scripts; followed by `Mobile` on a phone. @defaultValue Tidemark's user agent */
  TIDEMARK_USER_AGENT: z.string().min(1).default(USER_AGENT),
  /** Exits: `name=url;country=DE;kind=residential`, comma-separated, or the path of a JSON file. Contains credentials. */
  TIDEMARK_EXITS: z.string().default(''),
  /** A small page that is equal for every visitor, fetched directly and through each exit to detect exits that change pages. */
  TIDEMARK_PARITY_URL: z.url().optional(),
  /** Redis with the shared state of exits; without it each instance keeps its own in memory. */
  REDIS_URL: z.string().optional(),
  /** Listen address of the CONNECT endpoint, through which scrape uses exits. Unused without exits. */
  EXIT_PROXY_LISTEN: z.string().default('0.0.0.0:3128'),
  /** Host name or address at which scrape reaches this endpoint. @defaultValue the address of this machine */
  EXIT_PROXY_HOST: z.string().min(1).optional(),
  /** Maximum open tunnels of this endpoint. */
  EXIT_PROXY_TUNNELS: wholeNumber(1, 100_000, 512),
  /** Concurrent renders, and one more for a workspace without any. About half a core and 150 MB each. */
  BROWSER_TABS: wholeNumber(1, 64, 4),
  /** Maximum renders that wait for a tab; further ones are refused immediately. Those of the workspace with the fewest are first. */
  QUEUE_LIMIT: wholeNumber(0, 10_000, 64),
  /** Age at which a browser is replaced, when its pages are finished, seconds. */
  BROWSER_MAX_AGE_SECONDS: wholeNumber(1, 86_400, 1_800),
  /** Pages after which a browser is replaced. */
  BROWSER_MAX_PAGES: wholeNumber(1, 1_000_000, 1_000),
  /** Memory above which a browser is replaced, MB (PSS of its process tree). */
  BROWSER_MAX_MEGABYTES: wholeNumber(100, 1_000_000, 800),
  /** Idle time after which a browser is closed, seconds; the next Render launches one. */
  BROWSER_IDLE_SECONDS: wholeNumber(1, 86_400, 300),
  /** A browser that does not respond for this time is killed, ms. */
  BROWSER_HANG_MS: wholeNumber(500, 60_000, 5_000),
  /** Consecutive pages of one workspace and origin in one context, which bounds its memory. */
  CONTEXT_MAX_PAGES: wholeNumber(1, 10_000, 50),
  /** Maximum idle sessions; the least recently used is closed first. */
  BROWSER_SESSIONS: wholeNumber(0, 1_000, 8),
  /** Idle time of a session, seconds. */
  BROWSER_SESSION_SECONDS: wholeNumber(1, 3_600, 300),
  /** Concurrent live pages, which people operate for at most five minutes; each holds a tab in addition to those of BROWSER_TABS. */
  LIVE_PAGES: wholeNumber(0, 64, 2),
  /** Time without a watcher and input after which a live page is closed, seconds. */
  LIVE_PAGE_IDLE_SECONDS: wholeNumber(1, 300, 60),
  /** Limit of the traffic that one page receives, all connections together, MB. */
  PAGE_MAX_MEGABYTES: wholeNumber(1, 10_000, 64),
  /** Parent folder of browser profiles; abandoned ones are removed at start. @defaultValue a folder in the temp folder */
  PROFILE_DIR: z.string().default(join(tmpdir(), 'tidemark-browser')),
} as const;
