import { openPagesByUrl } from './page-batches.ts';
import { toLlmsPage } from './page-rows.ts';
import type { SourceContext } from './peers.ts';
import type { RunToExport } from './run-to-export.ts';

/** How a site presents itself: the head of llms.txt and llms-full.txt. */
export interface SiteTitle {
  readonly name: string;
  readonly description: string | null;
}

const USABLE = new Set(['ok', 'thin', 'cached']);

/**
 * Reads the title and the description of a site from its home page, or from the page that the run started with: the site's name,
 * otherwise the page's title. `host` is the title of a site without either.
 */
export async function readSiteTitle(run: RunToExport, host: string, context: SourceContext): Promise<SiteTitle> {
  const { seed } = run.run;
  const home = URL.parse('/', seed)?.href ?? seed;
  const selection = { bodies: ['head'], withBody: undefined };
  const { batches } = await openPagesByUrl(run, [...new Set([home, seed])], selection, context);
  for await (const batch of batches)
    for (const archived of batch) {
      if (!USABLE.has(archived.page?.row?.verdict ?? '')) continue;
      const { siteName, title, description } = toLlmsPage(archived);
      return { name: siteName ?? title ?? host, description };
    }
  return { name: host, description: null };
}
