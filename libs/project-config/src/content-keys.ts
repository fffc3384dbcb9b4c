import { z } from 'zod';
import { FieldRule, Selectors } from './config-values.ts';
import { ExtractConfig } from './extract-config.ts';
import { VolatileOverrides } from './volatile-override.ts';

/** Keys of the group `content`: what counts as the content of a page. */
export const CONTENT_KEYS = {
  only_main_content: {
    group: 'content',
    schema: z.boolean(),
    fallback: true,
    description: 'only the main content, without navigation, banners and boilerplate',
  },
  include_selectors: {
    group: 'content',
    schema: Selectors,
    fallback: [],
    description: 'CSS selectors of the content; ignored on pages without a match',
  },
  exclude_selectors: {
    group: 'content',
    schema: Selectors,
    fallback: [],
    description: 'CSS selectors of elements to remove',
  },
  remove_banners: {
    group: 'content',
    schema: z.boolean(),
    fallback: true,
    description: 'whether cookie notices and banners are removed',
  },
  remove_base64_images: {
    group: 'content',
    schema: z.boolean(),
    fallback: true,
    description: 'whether images embedded as base64 are removed',
  },
  omit_title_heading: {
    group: 'content',
    schema: z.boolean(),
    fallback: false,
    description:
      'whether markdown and text leave out the first heading of the main content if it repeats the title of the page',
  },
  min_words: {
    group: 'content',
    schema: z.int().min(0).max(100_000),
    fallback: 0,
    description: 'pages with fewer words are skipped',
  },
  languages: {
    group: 'content',
    schema: z
      .array(z.string().regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, 'expected a language such as en or pt-BR'))
      .max(50),
    fallback: [],
    description: 'pages in other languages are skipped',
  },
  fields: {
    group: 'content',
    schema: z
      .record(z.string().min(1).max(100), FieldRule)
      .refine((fields) => Object.keys(fields).length <= 100, 'expected at most 100 fields'),
    fallback: {},
    description: 'named values extracted by CSS or XPath',
  },
  extract: {
    group: 'content',
    schema: ExtractConfig,
    fallback: null,
    description:
      'values that a language model extracts from the main content of each page by a JSON Schema, through a connection of the workspace and charged to the customer’s own key',
  },
  parse_documents: {
    group: 'content',
    schema: z.boolean(),
    fallback: true,
    description: 'whether PDF, Office files, feeds, data and images are parsed',
  },
  template_changes: {
    group: 'content',
    schema: z.enum(['fold', 'each']),
    fallback: 'fold',
    description: 'whether the same edit on many pages is reported once or per page',
  },
  volatile_selectors: {
    group: 'content',
    schema: Selectors,
    fallback: [],
    description: 'CSS selectors of content that changes on every visit; excluded from comparisons',
  },
  volatile_overrides: {
    group: 'content',
    schema: VolatileOverrides,
    fallback: [],
    site: true,
    description:
      'places on pages whose changes are always reported, or always ignored, whatever was learned; each is set by a decision about an ignored change. A list that is sent replaces the saved one',
  },
} as const;
