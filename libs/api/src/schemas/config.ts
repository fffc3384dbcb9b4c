import { z } from 'zod';
import { FORMATS } from './page.ts';

/** One entry of the configuration catalogue: what a key takes, its default and its group. */
export const CONFIG_KEYS = {
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
  timeout_seconds: {
    group: 'fetch',
    schema: z.int().min(1).max(120),
    fallback: 30,
    says: 'seconds one fetch may take',
  },
  max_credits_per_page: {
    group: 'fetch',
    schema: z.int().min(1).max(1_000),
    fallback: null,
    says: 'what one page may cost at most',
  },
  respect_robots: { group: 'scope', schema: z.boolean(), fallback: true, says: 'whether robots.txt is obeyed' },
  only_main_content: {
    group: 'content',
    schema: z.boolean(),
    fallback: true,
    says: 'main content alone, without navigation, banners and boilerplate',
  },
  min_words: {
    group: 'content',
    schema: z.int().min(0).max(100_000),
    fallback: 0,
    says: 'pages with fewer words are skipped',
  },
  formats: {
    group: 'output',
    schema: z.array(z.enum(FORMATS)).min(1),
    fallback: ['markdown'],
    says: 'the bodies to return',
  },
} as const;

/** Configuration a single scrape takes. An unknown key is refused by name. */
export const ScrapeConfig = z
  .strictObject({
    render_js: CONFIG_KEYS.render_js.schema.optional(),
    max_tier: CONFIG_KEYS.max_tier.schema.optional(),
    timeout_seconds: CONFIG_KEYS.timeout_seconds.schema.optional(),
    max_credits_per_page: CONFIG_KEYS.max_credits_per_page.schema.optional(),
    respect_robots: CONFIG_KEYS.respect_robots.schema.optional(),
    only_main_content: CONFIG_KEYS.only_main_content.schema.optional(),
    min_words: CONFIG_KEYS.min_words.schema.optional(),
    formats: CONFIG_KEYS.formats.schema.optional(),
  })
  .meta({ id: 'ScrapeConfig' });
