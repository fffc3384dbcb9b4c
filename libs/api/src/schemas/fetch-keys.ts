import { z } from 'zod';
import { Action, HEADER_NAME, Line, WaitFor } from './config-values.ts';

/** The keys of the group `fetch`: how a page is asked for. */
export const FETCH_KEYS = {
  render_js: {
    group: 'fetch',
    schema: z.enum(['auto', 'always', 'never']),
    fallback: 'auto',
    says: 'whether a browser runs the page’s scripts',
  },
  max_tier: {
    group: 'fetch',
    schema: z.enum(['http', 'browser']),
    fallback: 'browser',
    says: 'the dearest engine a page may climb to',
  },
  use_proxy: {
    group: 'fetch',
    schema: z.enum(['auto', 'always', 'never']),
    fallback: 'auto',
    says: 'whether a page may be fetched through one of the deployment’s exits: where the site refuses a direct fetch, always, or never',
  },
  country: {
    group: 'fetch',
    schema: z.string().regex(/^[A-Za-z]{2}$/, 'expected a country of two letters, such as DE'),
    fallback: null,
    says: 'the country the exit is in, ISO 3166-1 alpha-2; needs an exit there',
  },
  timeout_seconds: {
    group: 'fetch',
    schema: z.int().min(1).max(120),
    fallback: 30,
    says: 'seconds one fetch may take',
  },
  max_age_seconds: {
    group: 'fetch',
    schema: z.int().min(0).max(31_536_000),
    fallback: 0,
    says: 'a stored page this old at most is answered instead of a fetch, free of charge; an older one is asked for only where it has changed',
  },
  max_credits_per_page: {
    group: 'fetch',
    schema: z.int().min(1).max(1_000),
    fallback: null,
    says: 'what one page may cost at most',
  },
  headers: {
    group: 'fetch',
    schema: z
      .record(z.string().regex(HEADER_NAME, 'expected a header name'), Line)
      .refine((headers) => Object.keys(headers).length <= 50, 'expected at most 50 headers'),
    fallback: {},
    says: 'request headers sent to the page’s own site',
  },
  cookies: {
    group: 'fetch',
    schema: z
      .record(z.string().regex(HEADER_NAME, 'expected a cookie name'), Line.regex(/^[^;]*$/, 'expected no semicolon'))
      .refine((cookies) => Object.keys(cookies).length <= 50, 'expected at most 50 cookies'),
    fallback: {},
    site: true,
    says: 'cookies sent to the page’s own host',
  },
  device: {
    group: 'fetch',
    schema: z.enum(['desktop', 'mobile']),
    fallback: 'desktop',
    says: 'who the page is shown to',
  },
  user_agent: {
    group: 'fetch',
    schema: Line.min(1).max(500),
    fallback: null,
    says: 'the user agent to send instead of Tidemark’s; robots.txt is read by Tidemark’s name all the same',
  },
  wait_for: {
    group: 'fetch',
    schema: WaitFor,
    fallback: null,
    says: 'what to wait for before the page is read: a CSS selector, milliseconds or network_idle',
  },
  actions: {
    group: 'fetch',
    schema: z.array(Action).max(50),
    fallback: [],
    says: 'what to do on the page before it is read, in a browser: click, type, press, scroll, wait',
  },
  block_resources: {
    group: 'fetch',
    schema: z.boolean(),
    fallback: true,
    says: 'whether a browser leaves images, media and fonts out; a screenshot loads them all the same',
  },
  retries: {
    group: 'fetch',
    schema: z.int().min(0).max(5),
    fallback: 2,
    says: 'fetches after the first that got no answer or one that says to come back',
  },
  concurrency: {
    group: 'fetch',
    schema: z.int().min(1).max(100),
    fallback: 8,
    says: 'fetches at once to one host, of everything that runs for everyone',
  },
  delay_ms: {
    group: 'fetch',
    schema: z.int().min(0).max(600_000),
    fallback: 0,
    says: 'milliseconds between two fetches of one host; robots.txt may ask for more',
  },
  login_id: {
    group: 'fetch',
    schema: z.string().regex(/^lgn_[0-7][0-9a-hjkmnp-tv-z]{25}$/, 'expected the id of a saved login, such as lgn_01j…'),
    fallback: null,
    site: true,
    says: 'the saved login pages are fetched with; without a working one nothing is fetched',
  },
} as const;
