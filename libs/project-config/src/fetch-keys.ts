import { z } from 'zod';
import { Action, HEADER_NAME, HeaderName, HeaderText, Line, WaitFor } from './config-values.ts';

/** Keys of the group `fetch`: how a page is requested. */
export const FETCH_KEYS = {
  render_js: {
    group: 'fetch',
    schema: z.enum(['auto', 'always', 'never']),
    fallback: 'auto',
    description: 'whether a browser executes the scripts of the page',
  },
  max_tier: {
    group: 'fetch',
    schema: z.enum(['http', 'browser']),
    fallback: 'browser',
    description: 'the most expensive engine that may be used',
  },
  use_proxy: {
    group: 'fetch',
    schema: z.enum(['auto', 'always', 'never']),
    fallback: 'auto',
    description:
      'whether a page is fetched through an exit of the deployment: if the site refuses a direct fetch, always, or never',
  },
  country: {
    group: 'fetch',
    schema: z.string().regex(/^[A-Za-z]{2}$/, 'expected a country of two letters, such as DE'),
    fallback: null,
    description: 'country of the exit, ISO 3166-1 alpha-2; requires an exit there',
  },
  timeout_seconds: {
    group: 'fetch',
    schema: z.int().min(1).max(120),
    fallback: 30,
    description: 'timeout of one fetch in seconds',
  },
  max_age_seconds: {
    group: 'fetch',
    schema: z.int().min(0).max(31_536_000),
    fallback: 0,
    description:
      'maximum age in seconds of a stored page that is returned instead of a fetch, free of charge; an older page is fetched with a conditional request',
  },
  max_credits_per_page: {
    group: 'fetch',
    schema: z.int().min(1).max(1_000),
    fallback: null,
    description: 'maximum cost of one page',
  },
  headers: {
    group: 'fetch',
    schema: z
      .record(HeaderName, HeaderText)
      .refine((headers) => Object.keys(headers).length <= 50, 'expected at most 50 headers'),
    fallback: {},
    secret: 'headers',
    description:
      'request headers sent to the site of the page; values of headers that may be credentials are returned as ***, and *** sent back keeps the stored value',
  },
  cookies: {
    group: 'fetch',
    schema: z
      .record(z.string().regex(HEADER_NAME, 'expected a cookie name'), Line.regex(/^[^;]*$/, 'expected no semicolon'))
      .refine((cookies) => Object.keys(cookies).length <= 50, 'expected at most 50 cookies'),
    fallback: {},
    site: true,
    secret: 'values',
    description:
      'cookies sent to the host of the page; values are returned as ***, and *** sent back keeps the stored value',
  },
  device: {
    group: 'fetch',
    schema: z.enum(['desktop', 'mobile']),
    fallback: 'desktop',
    description: 'emulated device',
  },
  user_agent: {
    group: 'fetch',
    schema: HeaderText.min(1).max(500),
    fallback: null,
    description: 'User-Agent header to send; robots.txt rules for Tidemark still apply',
  },
  wait_for: {
    group: 'fetch',
    schema: WaitFor,
    fallback: null,
    description: 'condition to wait for before the page is read: a CSS selector, milliseconds or network_idle',
  },
  actions: {
    group: 'fetch',
    schema: z.array(Action).max(50),
    fallback: [],
    secret: 'typed_texts',
    description:
      'actions in a browser before the page is read: click, type, press, scroll, wait, select; typed texts are returned as ***, and *** sent back keeps the stored text of the same selector',
  },
  block_resources: {
    group: 'fetch',
    schema: z.boolean(),
    fallback: true,
    description: 'whether a browser skips images, media and fonts; a screenshot loads them anyway',
  },
  retries: {
    group: 'fetch',
    schema: z.int().min(0).max(5),
    fallback: 2,
    description:
      'number of retries after no response, or after status 429, 500, 502, 503 or 504; after 429 and 503 they wait for Retry-After, at least a second, within timeout_seconds',
  },
  concurrency: {
    group: 'fetch',
    schema: z.int().min(1).max(100),
    fallback: 8,
    description: 'concurrent fetches per host, over all jobs of the deployment',
  },
  delay_ms: {
    group: 'fetch',
    schema: z.int().min(0).max(600_000),
    fallback: 0,
    description: 'minimum milliseconds between two fetches of one host; robots.txt can require more',
  },
  login_id: {
    group: 'fetch',
    schema: z.string().regex(/^lgn_[0-7][0-9a-hjkmnp-tv-z]{25}$/, 'expected the id of a saved login, such as lgn_01j…'),
    fallback: null,
    site: true,
    description: 'saved login used for the fetch; nothing is fetched if it does not work',
  },
} as const;
