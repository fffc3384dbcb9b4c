import { z } from 'zod';
import type { Row } from './domain/tree.ts';

const Rows = z.array(
  z.object({
    url: z.string(),
    lastmod: z.string(),
    changefreq: z.string(),
    source: z.enum(['sitemap', 'feed', 'link']),
    file: z.string(),
    section: z.string(),
  }),
);

/** Reads a document of rows. @throws ZodError where it is none */
export const parseRows = (document: Buffer): Row[] => Rows.parse(JSON.parse(document.toString('utf8')));
