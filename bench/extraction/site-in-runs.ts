import { readPage, USUAL_CONTENT } from '@tidemark/page-reader';
import pLimit from 'p-limit';
import { repeatedBlocksOf } from '../../services/crawl/src/domain/run/repeated-blocks.ts';
import { bagScore, tokensOf } from '../content/scores.ts';
import { startSite } from '../site/start-site.ts';

const PAGES = 400;
const AT_ONCE = 20;
/** What sites put into the text of every page: a note at its start, contacts at its end. */
const NOTE =
  '<p>This page is part of the handbook of the group; the printed edition of the handbook has precedence.</p>';
const CONTACTS =
  '<div><p>Questions about this page go to the service centre of the group, every day from nine to five.</p><ul><li>Telephone of the service centre in the head office: +32 1 234 56 78</li></ul></div>';

interface ReadPage {
  readonly html: string;
  readonly url: string;
  readonly blockKeys: Buffer;
}

/** F1 of one page against its text without the additions, read alone and as a page of a run. */
export interface PageInRun {
  readonly alone: number;
  readonly inRun: number;
}

const read = (html: string, url: string, repeated: Buffer) =>
  readPage({ html, url, content: USUAL_CONTENT, outputs: new Set(['text']), site: { repeated } });

const wordsOf = (text = ''): string[] => tokensOf(text.toLowerCase());

/** Puts the additions into the article of a page of the test site. */
const withAdditions = (html: string): string =>
  html.replace(/(<article\b[^>]*>)([\s\S]*?)(<\/article>)/, `$1${NOTE}$2${CONTACTS}$3`);

/** Reads the pages of the test site as they are served, and with additions that every page repeats within its text. */
export async function siteInRuns(): Promise<{ served: PageInRun[]; extended: PageInRun[] }> {
  const site = await startSite({ pages: PAGES });
  try {
    const urls = await site.urls(({ kind }) => kind === 'page');
    const pages = await pLimit(AT_ONCE).map(urls, async (url) => ({ url, html: await (await fetch(url)).text() }));
    const articles = pages.filter(({ html }) => /<article\b/.test(html));
    const truth = articles.map(({ html, url }) => wordsOf(read(html, url, Buffer.alloc(0)).text));
    const scores = (edit: (html: string) => string): PageInRun[] => {
      const edited = articles.map(({ html, url }): ReadPage => {
        const page = edit(html);
        return { html: page, url, blockKeys: Buffer.from(read(page, url, Buffer.alloc(0)).blockKeys ?? []) };
      });
      return edited.map((page, at) => scoreOf(page, truth[at] ?? [], edited));
    };
    return { served: scores((html) => html), extended: scores(withAdditions) };
  } finally {
    site.stop();
  }
}

function scoreOf(page: ReadPage, truth: readonly string[], pages: readonly ReadPage[]): PageInRun {
  const others = pages.filter((other) => other !== page).map(({ blockKeys }) => blockKeys);
  const f1With = (repeated: Buffer): number => bagScore(wordsOf(read(page.html, page.url, repeated).text), truth).f1;
  return { alone: f1With(Buffer.alloc(0)), inRun: f1With(repeatedBlocksOf(others) ?? Buffer.alloc(0)) };
}
