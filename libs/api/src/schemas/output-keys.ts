import { z } from 'zod';
import { FORMATS } from './page.ts';

/** The keys of the group `output`: what is kept and returned of a page. */
export const OUTPUT_KEYS = {
  formats: {
    group: 'output',
    schema: z.array(z.enum(FORMATS)).min(1),
    fallback: ['markdown'],
    says: 'the bodies to return',
  },
  screenshot: {
    group: 'output',
    schema: z.enum(['none', 'viewport', 'full']),
    fallback: 'none',
    says: 'a JPEG of the page, which takes a browser',
  },
  store_html: {
    group: 'output',
    schema: z.enum(['home', 'always']),
    fallback: 'home',
    says: 'whether the html of the home page alone is stored, or of every page; STORE_HTML means the same',
  },
} as const;
