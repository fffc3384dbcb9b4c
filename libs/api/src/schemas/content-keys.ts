import { z } from 'zod';
import { FieldRule, Selectors } from './config-values.ts';

/** The keys of the group `content`: what of a page is its content. */
export const CONTENT_KEYS = {
  only_main_content: {
    group: 'content',
    schema: z.boolean(),
    fallback: true,
    says: 'main content alone, without navigation, banners and boilerplate',
  },
  include_selectors: {
    group: 'content',
    schema: Selectors,
    fallback: [],
    says: 'CSS: what matches is the content, where anything does',
  },
  exclude_selectors: { group: 'content', schema: Selectors, fallback: [], says: 'CSS: what matches is left out' },
  remove_banners: {
    group: 'content',
    schema: z.boolean(),
    fallback: true,
    says: 'whether cookie notices and banners are left out',
  },
  remove_base64_images: {
    group: 'content',
    schema: z.boolean(),
    fallback: true,
    says: 'whether images written into the page itself are left out',
  },
  min_words: {
    group: 'content',
    schema: z.int().min(0).max(100_000),
    fallback: 0,
    says: 'pages with fewer words are skipped',
  },
  languages: {
    group: 'content',
    schema: z
      .array(z.string().regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, 'expected a language such as en or pt-BR'))
      .max(50),
    fallback: [],
    says: 'pages in other languages are skipped',
  },
  fields: {
    group: 'content',
    schema: z
      .record(z.string().min(1).max(100), FieldRule)
      .refine((fields) => Object.keys(fields).length <= 100, 'expected at most 100 fields'),
    fallback: {},
    says: 'named values read out of the page by CSS or XPath',
  },
  parse_documents: {
    group: 'content',
    schema: z.boolean(),
    fallback: true,
    says: 'whether PDF, Office files, feeds, data and images are read, too',
  },
  template_changes: {
    group: 'content',
    schema: z.enum(['fold', 'each']),
    fallback: 'fold',
    says: 'whether the same edit on many pages is told once or for each of them',
  },
  volatile_selectors: {
    group: 'content',
    schema: Selectors,
    fallback: [],
    says: 'CSS: what matches changes by itself and is left out of comparisons',
  },
} as const;
