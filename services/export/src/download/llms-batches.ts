import type { ArchivedPage } from '@tidemark/contracts/archive/v1/archive';
import type { DatasetRow as Row } from '@tidemark/datasets';
import { type LlmsPage, llmsFullPart, llmsHead, llmsSections } from './llms.ts';
import { toLlmsPage } from './page-rows.ts';
import type { SiteTitle } from './site-title.ts';

/** The pages that both documents list. */
export const LLMS_QUERY = 'verdict:ok,thin,cached';
/** Most pages of one llms.txt: its sections are held in memory until the end. */
const MAX_LLMS_PAGES = 50_000;

/** Writes llms.txt: the sections are known when all pages are. Beyond MAX_LLMS_PAGES it states how many pages are left out. */
export async function* llmsText(
  batches: AsyncIterable<readonly ArchivedPage[]>,
  site: SiteTitle,
): AsyncGenerator<readonly Row[]> {
  const pages: LlmsPage[] = [];
  let left = 0;
  for await (const batch of batches) {
    for (const page of batch.map(toLlmsPage)) {
      if (pages.length < MAX_LLMS_PAGES)
        pages.push({ url: page.url, title: page.title, description: page.description });
      else left += 1;
    }
  }
  const rest = left === 0 ? '' : `\n${left} further pages are not listed.\n`;
  yield [{ text: llmsHead(site) + llmsSections(pages) + rest }];
}

/** Writes llms-full.txt page by page. */
export async function* llmsFullText(
  batches: AsyncIterable<readonly ArchivedPage[]>,
  site: SiteTitle,
): AsyncGenerator<readonly Row[]> {
  yield [{ text: llmsHead(site) }];
  for await (const batch of batches)
    yield batch.map(toLlmsPage).map(({ markdown, ...page }) => ({ text: llmsFullPart(page, markdown) }));
}
