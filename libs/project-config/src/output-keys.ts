import { z } from 'zod';

/** Bodies of a page that can be stored and returned. */
export const FORMATS = ['markdown', 'text', 'cleanHtml', 'rawHtml', 'links'] as const;
export type Format = (typeof FORMATS)[number];

/** Keys of the group `output`: what is stored and returned of a page. */
export const OUTPUT_KEYS = {
  formats: {
    group: 'output',
    schema: z.array(z.enum(FORMATS)).min(1),
    fallback: ['markdown'],
    description: 'bodies to return',
  },
  screenshot: {
    group: 'output',
    schema: z.enum(['none', 'viewport', 'full']),
    fallback: 'none',
    description: 'JPEG screenshot of the page; requires a browser',
  },
  store_html: {
    group: 'output',
    schema: z.enum(['home', 'always']),
    fallback: 'home',
    description: 'whether html is stored for the home page only or for every page; alias STORE_HTML',
  },
} as const;
