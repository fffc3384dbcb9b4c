import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ArchiveServiceService as Archive, type FoundPage } from '@tidemark/contracts/archive/v1/archive';
import type { MatchSelectorsRequest } from '@tidemark/contracts/scrape/v1/scrape';
import { AppError } from '@tidemark/errors';
import { callerOf, defineService, handle } from '@tidemark/service';
import { callerIn, newWorkspace, pageRow, type RunningService, runPage, startService } from '@tidemark/testkit';
import { makeSearchSelectors } from '../src/stored/search-selectors.ts';

interface MadePage {
  readonly url: string;
  readonly rawHtml?: string;
}

const caller = callerIn(newWorkspace());
const runs = new Map<string, { pages: readonly MadePage[]; isComplete: boolean }>();
/** The wait of each archive call. */
const waits: (number | undefined)[] = [];
let archive: RunningService;

const madeOf = (id = '') => runs.get(id) ?? { pages: [], isComplete: true };

/** The archive's side of a search: pages of a run that have html, and how many there are. */
const definition = defineService({
  name: 'archive',
  config: {},
  async start(app) {
    app.serve({ queryPages: Archive.queryPages, countPages: Archive.countPages }, [
      handle(Archive.queryPages, async ({ run, after, limit, withBody }, ctx) => {
        if (callerOf(ctx).workspaceId !== caller.caller?.workspaceId) throw new AppError('not_found', 'no such run');
        waits.push(run?.expected?.waitMs);
        const { pages, isComplete } = madeOf(run?.runId);
        const numbered = pages.map((page, i) => ({ ...page, number: i + 1 }));
        const found = numbered.filter(({ number, rawHtml }) => number > after && (withBody !== 'rawHtml' || rawHtml));
        const shown = found.slice(0, limit);
        const isCut = shown.length < found.length;
        const last = isCut || !isComplete ? (shown.at(-1)?.number ?? after) : Math.max(after, pages.length);
        return {
          pages: shown.map(({ url, number }) => ({
            page: { row: pageRow({ id: `${run?.runId}:${number}`, url }), bodies: Buffer.alloc(0) },
            known: runPage({ number }),
          })),

          last,
          isMore: isCut || !isComplete,
        };
      }),
      handle(Archive.countPages, async ({ run, after, to, body }) => {
        const { pages } = madeOf(run?.runId);
        const withoutBody = pages.filter(({ rawHtml }) => body === 'rawHtml' && rawHtml === undefined).length;
        return { inRange: pages.slice(after, to).length, withoutBody, total: pages.length };
      }),
    ]);
  },
});

beforeAll(async () => {
  archive = await startService(definition, {});
});
afterAll(() => archive.close());

/** Matching that supports element names only; some pages are late or exceed a reader limit. */
function searcher() {
  const requests: MatchSelectorsRequest[] = [];
  const late = new Set<string>();
  const unbearable = new Set<string>();
  const htmlOf = (id: string): string | undefined => {
    const [runId = '', number] = id.split(':');
    return madeOf(runId).pages[Number(number) - 1]?.rawHtml;
  };
  const matchPages = async (request: MatchSelectorsRequest) => {
    requests.push(request);
    const [selector = ''] = request.selectors;
    const isName = /^[a-z][a-z0-9]*$/.test(selector);
    const pages = request.pages
      .filter(({ url }) => !late.has(url))
      .map(({ id, url }) => {
        if (unbearable.has(url)) return { pageId: id, hasHtml: false, matches: [], error: 'it took too long' };
        const html = htmlOf(id);
        if (!isName) return { pageId: id, hasHtml: html !== undefined, matches: [] };
        const texts = [...(html ?? '').matchAll(new RegExp(`<${selector}>([^<]*)<`, 'g'))].map(([, text = '']) => text);
        const matches = [{ count: texts.length, samples: texts.slice(0, request.samples) }];
        return { pageId: id, hasHtml: html !== undefined, matches };
      });
    return { pages, errors: isName ? {} : { 0: 'expected the name of an element' } };
  };
  const searchSelectors = makeSearchSelectors({ archive: archive.peer, matchPages });
  const budget = () => ({ workspaceId: '', remainingMs: () => 1_000, signal: new AbortController().signal });
  const search = (runId: string, selector: string, { after = 0, limit = 100, waitMs = 0 } = {}) => {
    const run = { runId, projectId: 'prj_1', expected: { pages: madeOf(runId).pages.length, hasEnded: true, waitMs } };
    return searchSelectors({ run, selector, after, limit }, caller, budget);
  };
  return { requests, late, unbearable, search };
}

let made = 0;
function runOf(pages: readonly MadePage[], isComplete = true): string {
  made += 1;
  runs.set(`run_${made}`, { pages, isComplete });
  return `run_${made}`;
}
const urlsOf = (pages: readonly FoundPage[]) => pages.map(({ page }) => page?.page?.row?.url);

/** All that a search finds, in as many calls as it takes. */
async function all({ search }: ReturnType<typeof searcher>, run: string, limit: number) {
  const pages: FoundPage[] = [];
  let scanned = 0;
  for (let after = 0, isMore = true; isMore; ) {
    const response = await search(run, 'h2', { after, limit });
    pages.push(...response.pages);
    scanned += response.scanned;
    ({ last: after, isMore } = response);
  }
  return { pages, scanned };
}

describe('a search for what a selector names', () => {
  const pages = Array.from({ length: 60 }, (_, i) => ({
    url: `https://example.com/${i}`,
    ...(i % 4 === 3 ? {} : { rawHtml: i % 4 === 0 ? `<h2>tide ${i}</h2><h2>again</h2>` : '<p>nothing</p>' }),
  }));

  it('reads html in parts, and finds each page once for any page size', async () => {
    const run = runOf(pages);
    const searching = searcher();
    const expected = pages.filter((_, i) => i % 4 === 0).map(({ url }) => url);
    for (const limit of [1, 4, 100]) {
      const { pages: found, scanned } = await all(searching, run, limit);
      expect(urlsOf(found)).toEqual(expected);
      expect(scanned).toBe(60);
    }
    const response = await searching.search(run, 'h2', { limit: 1 });
    expect(response).toMatchObject({ withoutBody: 15, total: 60, isMore: true });
    expect(response.pages[0]).toMatchObject({
      matches: 2,
      excerpts: [{ text: 'tide 0', marks: [] }, { text: 'again' }],
    });
    expect(Math.max(...searching.requests.map((request) => request.pages.length))).toBeLessThanOrEqual(8);
  });

  it('resumes at a page that was not reached in time, and skips one that exceeds a reader limit', async () => {
    const some = Array.from({ length: 20 }, (_, i) => ({
      url: `https://reached.example/${i}`,
      rawHtml: `<h3>tide ${i}</h3>`,
    }));
    const run = runOf(some);
    const { late, unbearable, search } = searcher();
    const expected = some.map(({ url }) => url);
    late.add('https://reached.example/5').add('https://reached.example/0');
    unbearable.add('https://reached.example/3');
    await expect(search(run, 'h3')).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 2 });
    late.delete('https://reached.example/0');
    const first = await search(run, 'h3');
    expect(urlsOf(first.pages)).toEqual(expected.slice(0, 5).filter((_, i) => i !== 3));
    expect(first).toMatchObject({ last: 5, scanned: 5, isMore: true });
    late.clear();
    const rest = await search(run, 'h3', { after: first.last });
    expect(urlsOf(rest.pages)).toEqual(expected.slice(5));
    expect(rest).toMatchObject({ scanned: 15, isMore: false });
  });

  it('that can not be used is refused with the reason, also where there is no page to try it on', async () => {
    const { search } = searcher();
    await expect(search(runOf([{ url: 'https://example.com/no-html' }]), 'h2[')).rejects.toMatchObject({
      code: 'validation',
      detail: [{ msg: 'expected the name of an element' }],
    });
    await expect(search(runOf(pages), 'h2[')).rejects.toMatchObject({ detail: [{ type: 'selector_refused' }] });
    for (const selector of [' ', 'x'.repeat(1_001)])
      await expect(search(runOf(pages), selector)).rejects.toMatchObject({ code: 'validation' });
  });

  it('returns the matches so far of a running run, and states that there are more', async () => {
    const { search } = searcher();
    const found = await search(runOf(pages.slice(0, 5), false), 'h2');
    expect(urlsOf(found.pages)).toEqual(['https://example.com/0', 'https://example.com/4']);
    expect(found).toMatchObject({ last: 5, isMore: true, total: 5 });
  });

  it('waits once for pages whose events have not arrived, before the first of them', async () => {
    const { search } = searcher();
    waits.length = 0;
    await search(runOf(pages), 'h2', { waitMs: 2_000 });
    expect(waits[0]).toBe(2_000);
    expect(waits.slice(1).every((ms) => ms === 0)).toBe(true);
    expect(waits.length).toBeGreaterThan(1);
  });
});
