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

/** A key's meaning and default, as documentation shows them. */
const say = (key: keyof typeof CONFIG_KEYS): string => {
  const { says, fallback } = CONFIG_KEYS[key];
  return `${says}${fallback === null ? '' : `; default ${JSON.stringify(fallback)}`}`;
};

/** Configuration a single scrape takes. An unknown key is refused by name. */
export const ScrapeConfig = z
  .strictObject({
    render_js: CONFIG_KEYS.render_js.schema.optional().describe(say('render_js')),
    max_tier: CONFIG_KEYS.max_tier.schema.optional().describe(say('max_tier')),
    timeout_seconds: CONFIG_KEYS.timeout_seconds.schema.optional().describe(say('timeout_seconds')),
    max_credits_per_page: CONFIG_KEYS.max_credits_per_page.schema.optional().describe(say('max_credits_per_page')),
    respect_robots: CONFIG_KEYS.respect_robots.schema.optional().describe(say('respect_robots')),
    only_main_content: CONFIG_KEYS.only_main_content.schema.optional().describe(say('only_main_content')),
    min_words: CONFIG_KEYS.min_words.schema.optional().describe(say('min_words')),
    formats: CONFIG_KEYS.formats.schema.optional().describe(say('formats')),
  })
  .meta({ id: 'ScrapeConfig' });
