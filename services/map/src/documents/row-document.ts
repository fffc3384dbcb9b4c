import { z } from 'zod';
import type { Row } from '../domain/tree.ts';

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

/** Parses a row document. @throws ZodError if it is malformed */
export const parseRows = (document: Buffer): Row[] => Rows.parse(JSON.parse(document.toString('utf8')));
