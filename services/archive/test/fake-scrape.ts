import type { BlobStore } from '@tidemark/blobs';
import { PageBodies } from '@tidemark/contracts/page/v1/page';
import { type MatchSelectorsRequest, ScrapeServiceService as Rpc } from '@tidemark/contracts/scrape/v1/scrape';
import { callerOf, defineService, handle } from '@tidemark/service';
import { type RunningService, startService } from '@tidemark/testkit';
import { unasked } from './unasked.ts';

/** The side of scrape that reads stored html for selectors: it knows the names of elements alone. */
export interface FakeScrape extends RunningService {
  readonly asked: readonly MatchSelectorsRequest[];
  /** Addresses of pages that are not reached in time. */
  readonly late: Set<string>;
  /** Addresses of pages that are more than a reader can bear. */
  readonly unbearable: Set<string>;
}

export async function startFakeScrape(blobs: BlobStore): Promise<FakeScrape> {
  const asked: MatchSelectorsRequest[] = [];
  const late = new Set<string>();
  const unbearable = new Set<string>();
  const { matchSelectors, ...others } = Rpc;
  const definition = defineService({
    name: 'scrape',
    config: {},
    async start(app) {
      app.serve(Rpc, [
        handle(matchSelectors, async (request, ctx) => {
          callerOf(ctx);
          asked.push(request);
          const [selector = ''] = request.selectors;
          const isName = /^[a-z][a-z0-9]*$/.test(selector);
          const reached = request.pages.filter(({ url }) => !late.has(url));
          const pages = await Promise.all(
            reached.map(async ({ id, url, content }) => {
              if (unbearable.has(url)) return { pageId: id, hasHtml: false, matches: [], error: 'it took too long' };
              const { rawHtml } = PageBodies.decode(await blobs.get(content?.sha256 ?? ''));
              const texts = [...(rawHtml ?? '').matchAll(new RegExp(`<${selector}>([^<]*)<`, 'g'))].map(
                ([, text = '']) => text,
              );
              const matches = isName ? [{ count: texts.length, samples: texts.slice(0, request.samples) }] : [];
              return { pageId: id, hasHtml: rawHtml !== undefined, matches, error: '' };
            }),
          );
          return { pages, errors: [isName ? '' : 'expected the name of an element'] };
        }),
        ...Object.values(others).map(({ path }) => unasked(path)),
      ]);
    },
  });
  return Object.assign(await startService(definition, {}), { asked, late, unbearable });
}
