import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type {
  FoundPages,
  PageBlame,
  PageVersions,
  Project,
  RunDetail,
  RunEnvelope,
  SelectorMatches,
  StoredPage,
} from '@tidemark/api';
import { type ApiResponse, errorOf } from '../harness/api.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { listPages, listRuns, makeProject, type RunPages, readRun, runToEnd } from '../harness/projects.ts';
import { until } from '../harness/until.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { type HarbourSite, startHarbour } from './harbour-site.ts';

const fleet = sharedFleet();
let site: HarbourSite;
let workspace: Workspace;
let project: Project;
/** Two runs; the fee changes between them. */
let first: RunEnvelope;
let second: RunEnvelope;

beforeAll(async () => {
  workspace = await fleet.workspaces.make();
  site = await startHarbour('127.0.0.5');
  project = await makeProject(workspace.writer, { seed: `${site.origin}/`, config: { store_html: 'always' } });
  first = await runToEnd(workspace.writer, project.id);
  site.fee = 14;
  second = await runToEnd(workspace.writer, project.id);
}, 120_000);
afterAll(async () => {
  site.close();
  await fleet.close();
});

function bodyOf<T>({ status, body, text }: ApiResponse, expected = 200): T {
  if (status !== expected) throw new Error(`expected ${expected}, got ${status} ${text}`);
  return body as T;
}
const paths = (rows: readonly { url: string }[]): string[] => rows.map(({ url }) => new URL(url).pathname).sort();
const at = (path: string): string => `/projects/${project.id}${path}`;
const of = (path: string, query = ''): string => `url=${encodeURIComponent(`${site.origin}${path}`)}${query}`;
const post = async <T>(path: string, body: object): Promise<T> =>
  bodyOf<T>(await workspace.reader.post(at(path), body));

describe('stored html', () => {
  test('is returned where rawHtml is requested, and not with the formats of the run', async () => {
    const rowsOf = async (query: string) =>
      bodyOf<{ data: { markdown?: string; html?: string | null }[] }>(
        await workspace.reader.get(`/crawl/${first.id}${query}`),
      ).data;
    const [usual] = await rowsOf('');
    expect({ markdown: typeof usual?.markdown, html: typeof usual?.html }).toEqual({
      markdown: 'string',
      html: 'undefined',
    });
    expect((await rowsOf('?formats=rawHtml')).some(({ html }) => html?.includes('<html') === true)).toBe(true);
  });
});

describe('the query language of pages', () => {
  const searchRows = async (q: string, more = ''): Promise<RunPages & { total: number | null }> =>
    bodyOf(await workspace.reader.get(at(`/pages?q=${encodeURIComponent(q)}${more}`)));

  test.each([
    ['status:404', ['/gone']],
    ['lang:fr', ['/marees']],
    ['-lang:en', ['/marees']],
    ['depth:>0 -status:404', ['/hidden', '/marees', '/prices']],
    ['orphan:true', ['/hidden']],
    ['"Les marées"', ['/marees']],
    ['url:*/p*', ['/prices']],
    ['verdict:ok words:>10000', []],
  ])('%s finds the pages it describes, and how many they are', async (q, expected) => {
    const { data, total, runId } = await searchRows(q);
    expect([paths(data), total, runId]).toEqual([expected, expected.length, second.id]);
  });

  test('returns the same rows by cursor as in one response, also with v and flag', async () => {
    const whole = await searchRows('status:200');
    const seen: string[] = [];
    for (let query: string | undefined = '?q=status%3A200&limit=2'; query !== undefined; ) {
      const { data, next }: RunPages = bodyOf(await workspace.reader.get(at(`/pages${query}`)));
      seen.push(...paths(data));
      query = next === null ? undefined : new URL(next).search;
    }
    expect(seen.sort()).toEqual(paths(whole.data));
    expect(paths((await searchRows('status:>0', '&v=blocked')).data)).toEqual(['/gone']);
    expect(paths((await searchRows('status:200', '&flag=orphan')).data)).toEqual(['/hidden']);
  });

  test.each(['colour:blue', 'depth:deep', 'status:200 "open', 'status:>'])(
    '%s is refused, with what was expected and where',
    async (q) => {
      const error = errorOf(await workspace.reader.get(at(`/pages?q=${encodeURIComponent(q)}`)));
      expect(error).toMatchObject({ status: 422, code: 'validation', fields: ['q'] });
      expect(error.error).toMatch(/\d/);
    },
  );
});

describe('a search', () => {
  const search = (body: object): Promise<FoundPages> => post('/pages/search', body);

  test('finds the pages that contain words or phrases, with excerpts', async () => {
    const found = await search({ q: '"fee is 14" berth' });
    expect([paths(found.data), found.runId, found.next, found.total]).toEqual([['/prices'], second.id, null, 6 - 1]);
    const [page] = found.data;
    expect(page?.matches).toBeGreaterThanOrEqual(2);
    const marked = page?.excerpts.flatMap(({ text, marks }) => marks.map(({ from, to }) => text.slice(from, to)));
    expect(marked?.join(' ').toLowerCase()).toContain('berth');
    expect((await search({ q: '"fee is 12"' })).data).toEqual([]);
    expect(paths((await search({ q: '"fee is 12"', run_id: first.id })).data)).toEqual(['/prices']);
    expect(paths((await search({ q: 'harbour -crowns' })).data)).toEqual(['/']);
  });

  test.each(['h1', '//h1', '(//h1)[1]'])('finds the pages that contain %s', async (q) => {
    const found = await search({ q, mode: 'selector' });
    expect(paths(found.data)).toEqual(expect.arrayContaining(['/', '/hidden', '/marees', '/prices']));
    expect(found.data.find(({ url }) => url.endsWith('/prices'))).toMatchObject({ matches: 1 });
  });

  test('returns the same results by cursor as in one response, within one run', async () => {
    const whole = await search({ q: 'gauge' });
    const seen: string[] = [];
    let cursor: string | null = '';
    for (let requests = 0; cursor !== null && requests < 20; requests += 1) {
      const found: FoundPages = await search({
        q: 'gauge',
        limit: 1,
        ...(cursor === '' ? { run_id: first.id } : { cursor }),
      });
      seen.push(...paths(found.data));
      expect([found.runId, found.next]).toEqual([first.id, found.cursor]);
      cursor = found.next;
    }
    expect(seen.sort()).toEqual(paths(whole.data));
  });

  test('counts the pages that cannot be searched, and names the setting that stores them', async () => {
    const home = await makeProject(workspace.writer, { seed: `${site.origin}/`, config: { max_pages: 3 } });
    await runToEnd(workspace.writer, home.id);
    const query = { q: 'h1', mode: 'selector' };
    const found = bodyOf<FoundPages>(await workspace.reader.post(`/projects/${home.id}/pages/search`, query));
    expect([paths(found.data), found.withoutBody, found.total]).toEqual([['/'], 2, 3]);
    expect(found.note).toMatch(/^2 pages have no stored html .* config\.store_html "always"/);
    const selectors = { selectors: ['h1'] };
    const matched = await workspace.reader.post(`/projects/${home.id}/selectors/match`, selectors);
    expect(bodyOf<SelectorMatches>(matched)).toMatchObject({ withoutBody: 2, note: found.note });
    const words = await workspace.reader.post(`/projects/${home.id}/pages/search`, { q: 'harbour' });
    expect(bodyOf<FoundPages>(words)).toMatchObject({ withoutBody: 0, note: null });
  });

  test('is rejected if its query is invalid', async () => {
    const refused = await workspace.reader.post(at('/pages/search'), { q: 'h1[', mode: 'selector' });
    expect(errorOf(refused)).toMatchObject({ status: 422, code: 'validation' });
  });
});

describe('one stored page', () => {
  test('is returned with its bodies and its versions over time', async () => {
    const page = bodyOf<StoredPage>(await workspace.reader.get(at(`/pages/content?${of('/prices')}`)));
    expect(page).toMatchObject({ runId: second.id, verdict: 'ok', title: 'Prices', olderVersions: false });
    expect(page.markdown).toContain('The fee is 14 crowns');
    expect(page.html).toContain('<h1>Prices</h1>');
    expect(page.versions).toMatchObject([{ runId: first.id, verdict: 'ok', httpStatus: 200 }]);
    const before = bodyOf<StoredPage>(
      await workspace.reader.get(at(`/pages/content?${of('/prices', `&run_id=${first.id}`)}`)),
    );
    expect(before.markdown).toContain('The fee is 12 crowns');
  });

  test('is returned as it was at a time, and 404 before its first reading', async () => {
    const get = (query: string) => workspace.reader.get(at(`/pages/content?${of('/prices', query)}`));
    const [before] = bodyOf<StoredPage>(await get('')).versions;
    const old = bodyOf<StoredPage>(await get(`&at=${before?.crawledAt}`));
    expect(old).toMatchObject({ runId: first.id, crawledAt: before?.crawledAt });
    expect(old.markdown).toContain('The fee is 12 crowns');
    expect(bodyOf<StoredPage>(await get('&at=2100-01-01')).runId).toBe(second.id);
    expect(errorOf(await get('&at=2020-01-01'))).toMatchObject({ status: 404, code: 'before_history' });
  });

  test('has its versions with the words that they add and remove, and any two of them are compared by time', async () => {
    const list = (query = '') => workspace.reader.get(at(`/pages/versions?${of('/prices', query)}`));
    const { data, completeSince, unread } = bodyOf<PageVersions>(await list());
    expect(data).toMatchObject([
      { runId: second.id, readings: 1, wordsAdded: 1, wordsRemoved: 1, sameAs: null, hasHtml: true },
      { runId: first.id, readings: 1, wordsAdded: null, wordsRemoved: null, sameAs: null, hasHtml: true },
    ]);
    expect({ completeSince, unread }).toEqual({ completeSince: null, unread: [] });

    const part = bodyOf<PageVersions>(await list('&limit=1'));
    const rest = bodyOf<PageVersions>(await list(`&limit=1&cursor=${part.cursor}`));
    expect([part.data, rest.data, rest.next]).toEqual([data.slice(0, 1), data.slice(1), null]);

    const between = `&from=${data[1]?.firstSeen}&to=${data[0]?.lastSeen}`;
    const compared = await workspace.reader.get(at(`/changes/page?${of('/prices', between)}`));
    expect(bodyOf<object>(compared)).toMatchObject({
      before: { runId: first.id },
      after: { runId: second.id },
      wordsAdded: 1,
      wordsRemoved: 1,
    });
    const tooEarly = await workspace.reader.get(at(`/changes/page?${of('/prices', '&from=2020-01-01')}`));
    expect(errorOf(tooEarly)).toMatchObject({ status: 404, code: 'before_history' });
  });

  test('has the time at which each of its blocks appeared and was edited', async () => {
    const get = (query = '') => workspace.reader.get(at(`/pages/blame?${of('/prices', query)}`));
    const blame = bodyOf<PageBlame>(await get('&words=true'));
    expect(blame).toMatchObject({ version: { runId: second.id }, completeSince: null });
    expect(blame.versions.map(({ runId }) => runId)).toEqual([first.id, second.id]);
    const edited = blame.blocks.find(({ text }) => text.includes('The fee is 14 crowns'));
    expect(edited).toMatchObject({
      origin: { runId: first.id, atLeast: false },
      lastEdit: { runId: second.id },
      edits: 1,
    });
    expect(edited?.words?.map(({ text }) => text).join('')).toBe(edited?.text);
    expect(edited?.words?.filter(({ version }) => version === 1).map(({ text }) => text.trim())).toEqual(['14']);
    const unchanged = blame.blocks.filter((block) => block !== edited);
    expect(unchanged.every(({ lastEdit, edits }) => lastEdit.runId === first.id && edits === 0)).toBe(true);

    const before = bodyOf<PageBlame>(await get(`&at=${blame.versions[0]?.at}`));
    expect(before).toMatchObject({ version: { runId: first.id }, versions: [{ runId: first.id }] });
    expect(before.blocks.every(({ words, edits }) => words === null && edits === 0)).toBe(true);
    expect(errorOf(await get('&at=2020-01-01'))).toMatchObject({ status: 404, code: 'before_history' });
  });

  test('has the requested body only, under either scheme and with or without a slash', async () => {
    const url = encodeURIComponent(`${site.origin.replace('http:', 'https:')}/prices/`);
    const page = bodyOf<StoredPage>(await workspace.reader.get(at(`/pages/content?url=${url}&format=markdown`)));
    expect(page.markdown).toContain('crowns');
    expect(page).not.toHaveProperty('html');
  });

  test('returns 404 if the run does not contain it', async () => {
    for (const name of ['content', 'screenshot', 'removed'])
      expect(errorOf(await workspace.reader.get(at(`/pages/${name}?${of('/nowhere')}`)))).toMatchObject({
        status: 404,
      });
  });

  test('has its screenshot at the URL of its row', async () => {
    const config = { max_pages: 1, screenshot: 'viewport' };
    const { id } = await makeProject(workspace.writer, { seed: `${site.origin}/prices`, config });
    await runToEnd(workspace.writer, id);
    const link = (await listPages(workspace.reader, id)).data[0]?.screenshot ?? '';
    expect(link).toContain(`/v1/projects/${id}/pages/screenshot?`);
    const { status, headers } = await workspace.reader.get(link.slice(link.indexOf('/v1') + 3));
    expect([status, headers.get('content-type')]).toEqual([200, 'image/jpeg']);
  });
});

describe('previews on stored pages', () => {
  test('show the content and the removed parts under saved and unsaved filters', async () => {
    const config = { exclude_selectors: ['.related'], fields: { title: { selector: 'h1' } } };
    const shown = await post('/content/preview', { config, page: `${site.origin}/prices` });
    expect(shown).toMatchObject({
      runId: second.id,
      url: `${site.origin}/prices`,
      markdown: expect.stringContaining('crowns'),
      fields: { title: 'Prices' },
      removed: expect.arrayContaining([expect.objectContaining({ text: expect.stringContaining('Boats for sale') })]),
    });
    expect(await post('/content/preview', {})).toMatchObject({ url: `${site.origin}/` });
    await workspace.writer.patch(at(''), { config: { exclude_selectors: ['.lead'] } });
    const { removed } = bodyOf<{ removed: { text: string }[] }>(
      await workspace.reader.get(at(`/pages/removed?${of('/prices')}`)),
    );
    expect(removed.map(({ text }) => text).join('\n')).toContain('The fee is 14');
  });

  test('count the matches of selectors over every page with HTML and report invalid selectors', async () => {
    const found: SelectorMatches = await post('/selectors/match', { selectors: ['h1', '.nothing', 'h1[', '//aside'] });
    expect(found).toMatchObject({ runId: second.id, failed: 0, withoutBody: 0 });
    const [headings, nothing, broken, asides] = found.data;
    expect(headings).toMatchObject({ error: null, matches: found.scanned, pages: found.scanned });
    expect(headings?.samples[0]).toMatchObject({ url: `${site.origin}/`, texts: ['The harbour'] });
    expect(nothing).toMatchObject({ error: null, matches: 0, pages: 0, samples: [] });
    expect(broken?.error).not.toBeNull();
    expect(asides?.pages).toBe(found.scanned);
    const one: SelectorMatches = await post('/selectors/match', { selectors: ['h1'], page: `${site.origin}/prices` });
    expect(one).toMatchObject({ scanned: 1, data: [{ matches: 1, samples: [{ texts: ['Prices'] }] }] });
  });
});

describe('a run', () => {
  test('lists the engines that captured its pages, with the results', async () => {
    const run = (await readRun(workspace.reader, second)) as RunDetail;
    const engines = run.engines ?? [];
    const pages = engines.reduce((sum, engine) => sum + engine.pages, 0);
    expect([pages, engines.find(({ method }) => method === 'http')?.credits]).toEqual([
      run.progress.done,
      run.creditsUsed,
    ]);
    expect(run.log.map(({ what }) => what)).toEqual(expect.arrayContaining(['queued', 'started', 'finished']));
    expect(run.log.map(({ at: time }) => time)).toEqual(run.log.map(({ at: time }) => time).sort());
    expect(Date.parse(run.startedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(run.createdAt));
  });

  test('lists its pages with the selected fields only, also in the following pages of the list', async () => {
    const fields = '?fields=url,verdict,head&omit=head&limit=1';
    const first = await listPages(workspace.reader, project.id, fields);
    expect(Object.keys(first.data[0] ?? {}).sort()).toEqual(['url', 'verdict']);
    const rest = await workspace.reader.get((first.next ?? '').replace(/^.*(?=\/projects\/)/, ''));
    expect(Object.keys((rest.body as RunPages).data[0] ?? {}).sort()).toEqual(['url', 'verdict']);
    const without = await listPages(workspace.reader, project.id, '?omit=head,signals');
    expect(without.data[0]).toHaveProperty('title');
    for (const row of without.data) for (const name of ['head', 'signals']) expect(row).not.toHaveProperty(name);
    const refused = errorOf(await workspace.reader.get(at('/pages?fields=url,colour')));
    expect(refused).toMatchObject({
      status: 422,
      fields: ['fields'],
      error: expect.stringContaining('unknown field "colour"'),
    });
  });

  test('fetches exactly the listed pages if it is a re-crawl, and never replaces the full run', async () => {
    site.fee = 16;
    const order = { urls: [`${site.origin}/prices`] };
    const run = bodyOf<RunEnvelope>(await workspace.writer.post(at('/pages/recrawl'), order), 202);
    expect(run).toMatchObject({ kind: 'run', trigger: 'recrawl', projectId: project.id });
    const isDone = async () => {
      const { data, next } = await listPages(workspace.reader, project.id, `?run_id=${run.id}`);
      return next === null && data.length > 0 ? data : false;
    };
    const pages = await until('the recrawl has ended', isDone);
    expect(paths(pages)).toEqual(['/prices']);
    expect((await listRuns(workspace.reader, project.id)).data[0]).toMatchObject({ id: run.id, trigger: 'recrawl' });
    expect((await listPages(workspace.reader, project.id)).runId).toBe(second.id);
    const page = bodyOf<StoredPage>(await workspace.reader.get(at(`/pages/content?${of('/prices')}`)));
    expect(page.versions.map(({ runId }) => runId)).toEqual([run.id, first.id]);
  });

  test('is rejected for pages of another site, and the message names them', async () => {
    const response = await workspace.writer.post(at('/pages/recrawl'), { urls: ['https://elsewhere.example/'] });
    expect(errorOf(response)).toMatchObject({ code: 'validation', error: expect.stringContaining('urls') });
  });
});
