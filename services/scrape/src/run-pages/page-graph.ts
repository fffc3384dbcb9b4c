import { PageBodies } from '@tidemark/contracts/page/v1/page';
import { type PageGraph, pageGraphOf } from '@tidemark/page-reader';
import { z } from 'zod';

const Links = z.array(z.object({ url: z.string(), rel: z.string().optional() }));
const Head = z.object({
  canonical: z.string().optional(),
  robots: z.string().optional(),
  xRobotsTag: z.array(z.string()).optional(),
});

const NOTHING: PageGraph = { links: [], canonical: '', nofollow: false, noindex: false };

/** Reads the links and the link directives of the head from stored bodies. */
export function graphOf(bodies: Uint8Array | undefined): PageGraph {
  if (bodies === undefined || bodies.length === 0) return NOTHING;
  const { linksJson, headJson } = PageBodies.decode(bodies);
  return pageGraphOf({
    links: linksJson === undefined ? [] : Links.parse(JSON.parse(linksJson)),
    head: headJson === undefined ? {} : Head.parse(JSON.parse(headJson)),
  });
}
