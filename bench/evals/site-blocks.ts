/**
 * Measures what leaving out the blocks that repeat over a site changes: the labelled pages of each site with at least
 * five pages are read alone, and as pages of one run whose other pages were read before. The pages of the test site are
 * read in the same ways, as served and with parts that every page repeats within its text.
 *
 *   npm run eval -- site-blocks
 */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { decodeBody, readPage, USUAL_CONTENT } from '@tidemark/page-reader';
import { repeatedBlocksOf } from '../../services/crawl/src/domain/run/repeated-blocks.ts';
import { mean } from '../content/scores.ts';
import { casesOf, type PageCase, type PageSet, pathOf, SETS, scorePage, urlOf } from '../extraction/page-sets.ts';
import { siteInRuns } from '../extraction/site-in-runs.ts';
import { CORPORA, hasCorpora, textIn } from '../shared/corpora.ts';
import { notMeasured } from '../shared/not-measured.ts';
import { printTable, show } from '../shared/table.ts';

const MIN_PAGES = 6;
/** Hosts that show pages of other sites. */
const NO_SITES = new Set(['', 'web.archive.org', 'fakehost', 'example.com']);

interface SitePage {
  readonly set: PageSet;
  readonly page: PageCase;
  readonly html: string;
  readonly blockKeys: Buffer;
}

const read = (html: string, url: string, repeated: Buffer) =>
  readPage({ html, url, content: USUAL_CONTENT, outputs: new Set(['text', 'markdown']), site: { repeated } });

function sitePageOf(set: PageSet, page: PageCase): SitePage {
  const { html } = decodeBody(gunzipSync(readFileSync(pathOf(page))), undefined);
  return { set, page, html, blockKeys: Buffer.from(read(html, urlOf(page), Buffer.alloc(0)).blockKeys ?? []) };
}

/** Pages by host, of the sets whose texts can be compared. */
function sites(): Map<string, SitePage[]> {
  const pages = SETS.filter(({ total }) => total !== 'structure').flatMap((set) =>
    casesOf(set).map((page) => ({
      set,
      page,
      host: URL.parse(textIn(page.entry, 'url'))?.host.replace(/^www\./, '') ?? '',
    })),
  );
  const byHost = Map.groupBy(pages, ({ host }) => host);
  return new Map(
    [...byHost]
      .filter(([host, group]) => group.length >= MIN_PAGES && !NO_SITES.has(host))
      .map(([host, group]) => [host, group.map(({ set, page }) => sitePageOf(set, page))]),
  );
}

/** Returns the F1 of each page alone and in the run. The run's blocks are learned from the other pages. */
function scoresOf(pages: readonly SitePage[]): { alone: number; inRun: number }[] {
  return pages.map(({ set, page, html }) => {
    const others = pages.filter((other) => other.page !== page).map(({ blockKeys }) => blockKeys);
    const f1With = (repeated: Buffer): number => {
      const { text = '', markdown = '' } = read(html, urlOf(page), repeated);
      return scorePage(set, page, { text, markdown }).f1;
    };
    return { alone: f1With(Buffer.alloc(0)), inRun: f1With(repeatedBlocksOf(others) ?? Buffer.alloc(0)) };
  });
}

const rowOf = (name: string, scores: readonly { alone: number; inRun: number }[]): string[] => [
  name,
  String(scores.length),
  show(mean(scores.map(({ alone }) => alone))),
  show(mean(scores.map(({ inRun }) => inRun))),
  String(scores.filter(({ alone, inRun }) => inRun > alone + 0.001).length),
  String(scores.filter(({ alone, inRun }) => inRun < alone - 0.001).length),
];
const COLUMNS = ['site', 'pages', 'F1 alone', 'F1 in a run', 'better', 'worse'];

if (!hasCorpora()) {
  notMeasured('site-blocks', `there are no labelled pages at ${CORPORA}`);
} else {
  const rows = [...sites()].map(([host, pages]) => ({ host, scores: scoresOf(pages) }));
  const all = rows.flatMap(({ scores }) => scores);
  printTable(COLUMNS, [...rows.map(({ host, scores }) => rowOf(host, scores)), rowOf('all', all)]);
}

const { served, extended } = await siteInRuns();
printTable(COLUMNS, [rowOf('test site', served), rowOf('test site, with repeated parts in the text', extended)]);
