import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ChangeRecord, MarkupChanges, PageChanges, Project, RunEnvelope } from '@tidemark/api';
import { type ApiResponse, errorOf } from '../harness/api.ts';
import { recordOf } from '../harness/changes.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { listRuns, makeProject, readRun, runToEnd, startRun } from '../harness/projects.ts';
import { until } from '../harness/until.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { type HarbourSite, startHarbour } from './harbour-site.ts';

interface ScreenshotChanges {
  readonly before: { readonly image: string };
  readonly after: { readonly image: string };
  readonly image: string;
  readonly areas: readonly { readonly width: number }[];
}

const fleet = sharedFleet();
let site: HarbourSite;
let workspace: Workspace;
let project: Project;
/** Three runs: the first, one after the fee was raised, one without a change. */
let runs: RunEnvelope[];
let records: ChangeRecord[];

beforeAll(async () => {
  workspace = await fleet.workspaces.make();
  site = await startHarbour('127.0.0.5');
  project = await makeProject(workspace.writer, { seed: `${site.origin}/`, config: { store_html: 'always' } });
  runs = [await runToEnd(workspace.writer, project.id)];
  site.fee = 14;
  runs.push(await runToEnd(workspace.writer, project.id));
  runs.push(await runToEnd(workspace.writer, project.id));
  records = await Promise.all(runs.map(({ id }) => recordOf(workspace.reader, project.id, id)));
}, 120_000);
afterAll(async () => {
  site.close();
  await fleet.close();
});

function bodyOf<T>({ status, body, text }: ApiResponse, expected = 200): T {
  if (status !== expected) throw new Error(`expected ${expected}, got ${status} ${text}`);
  return body as T;
}
const at = (path: string): string => `/projects/${project.id}${path}`;
const prices = (): string => `url=${encodeURIComponent(`${site.origin}/prices`)}`;

describe('the change record', () => {
  test('has no entries for the first run and is marked as the first', () => {
    expect(records[0]).toMatchObject({
      baseline: null,
      entries: [],
      coverage: { verdict: false, reasons: ['no_baseline'] },
    });
  });

  test('reports the one page that changed, with the location and the changed words', () => {
    const record = records[1];
    expect(record).toMatchObject({
      baseline: runs[0]?.id,
      counts: { added: 0, removed: 0, modified: 1, withheld: 0, unverified: 0 },
      coverage: { verdict: true, complete: true, reasons: [] },
    });
    expect(record?.entries).toHaveLength(1);
    expect(record?.entries[0]).toMatchObject({
      url: `${site.origin}/prices`,
      kind: 'modified',
      section: 'Prices',
      wordsAdded: 1,
      wordsRemoved: 1,
      numericOnly: true,
      blocks: [{ op: 'edited', landmark: 'main' }],
    });
  });

  test('is empty for a run of an unchanged site: every page is the same', () => {
    const { modified, added, removed, same, withheld, unverified } = records[2]?.counts ?? {};
    expect({ modified, added, removed, withheld, unverified }).toEqual({
      modified: 0,
      added: 0,
      removed: 0,
      withheld: 0,
      unverified: 0,
    });
    expect(same).toBeGreaterThanOrEqual(4);
    expect(records[2]?.entries).toEqual([]);
  });

  test('without a named run is that of the newest run from the moment at which the run is done: first `making`, then `made`', async () => {
    const { id } = await makeProject(workspace.writer, { seed: `${site.origin}/` });
    const first = await runToEnd(workspace.writer, id);
    await recordOf(workspace.reader, id, first.id);
    const record = async () => bodyOf<ChangeRecord>(await workspace.reader.get(`/projects/${id}/changes`));
    const second = await startRun(workspace.writer, id);
    const atTheEnd = await until('the run to be done', async () =>
      (await readRun(workspace.reader, second)).status === 'done' ? record() : undefined,
    );
    expect(atTheEnd.runId).toBe(second.id);
    if (atTheEnd.status === 'making') expect(atTheEnd).toMatchObject({ counts: null, entries: [], next: null });
    await until('the record', async () => ((await record()).status === 'made' ? true : undefined));
    expect(await record()).toMatchObject({ runId: second.id, baseline: first.id });
  });

  test('is the newest one if the request names no run', async () => {
    const newest = bodyOf<ChangeRecord>(await workspace.reader.get(at('/changes')));
    expect(newest).toMatchObject({ runId: runs[2]?.id, status: 'made' });
  });

  test('is null for a project that has not run', async () => {
    const { id } = await makeProject(workspace.writer, { seed: `${site.origin}/hidden` });
    const record = bodyOf<ChangeRecord>(await workspace.reader.get(`/projects/${id}/changes`));
    expect(record).toMatchObject({ runId: null, status: null, entries: [], next: null });
  });

  test('stores review marks', async () => {
    const change = records[1]?.entries[0]?.id ?? '';
    bodyOf(await workspace.writer.post(at(`/changes/${change}/review`), { reviewed: true }));
    const query = `?run_id=${runs[1]?.id}&unreviewed=true`;
    expect(bodyOf<ChangeRecord>(await workspace.reader.get(at(`/changes${query}`))).entries).toEqual([]);
    expect(errorOf(await workspace.reader.post(at(`/changes/${change}/review`), {}))).toMatchObject({ status: 403 });
  });
});

describe('the history of runs', () => {
  test('has the status and the counts of the change record of each run', async () => {
    const { data } = await listRuns(workspace.reader, project.id);
    expect(data.map(({ id, changes }) => [id, changes])).toEqual(
      [2, 1, 0].map((index) => [runs[index]?.id, { status: 'made', counts: records[index]?.counts }]),
    );
  });
});

describe('a review of many changes', () => {
  test('marks the entries of a record by kind or by id, and removes the marks', async () => {
    const [change] = records[1]?.entries ?? [];
    const review = async (more: object) =>
      bodyOf<object>(await workspace.writer.post(at('/changes/review'), { run_id: runs[1]?.id, ...more }));
    const isReviewed = async () =>
      (await recordOf(workspace.reader, project.id, runs[1]?.id ?? '')).entries[0]?.reviewed;
    expect(await review({ kind: 'added' })).toMatchObject({ runId: runs[1]?.id, matched: 0, changed: 0 });
    await review({ change_ids: [change?.id] });
    expect(await isReviewed()).toBe(true);
    expect(await review({ reviewed: false })).toMatchObject({ matched: 1, changed: 1 });
    expect(await isReviewed()).toBe(false);
    expect(errorOf(await workspace.reader.post(at('/changes/review'), {}))).toMatchObject({ status: 403 });
  });
});

describe('one page', () => {
  test('is compared word by word with the previous run', async () => {
    const page = bodyOf<PageChanges>(await workspace.reader.get(at(`/changes/page?${prices()}&run_id=${runs[1]?.id}`)));
    expect(page).toMatchObject({ wordsAdded: 1, wordsRemoved: 1, before: { runId: runs[0]?.id } });
    expect(page.html).toContain('<ins>14</ins>');
    const said = page.blocks[0]?.words.filter(({ op }) => op !== '-').map(({ text }) => text);
    expect(said?.join('')).toContain('The fee is 14 crowns');
  });

  test('is compared as a whole if its unchanged text is requested', async () => {
    const query = `${prices()}&run_id=${runs[1]?.id}&unchanged=true`;
    const { blocks } = bodyOf<PageChanges>(await workspace.reader.get(at(`/changes/page?${query}`)));
    const ops = blocks.map(({ op }) => op);
    expect(ops.filter((op) => op !== 'same')).toEqual(['edited']);
    expect(blocks[ops.indexOf('edited') - 1]).toMatchObject({ op: 'same', after: 'Prices', volatile: false });
    expect(blocks.map(({ after }) => after).join(' ')).toContain('the tide came in over the marsh');
  });

  test('is compared with the run that the request names', async () => {
    const query = `${prices()}&run_id=${runs[2]?.id}&from=${runs[1]?.id}`;
    const page = bodyOf<PageChanges>(await workspace.reader.get(at(`/changes/page?${query}`)));
    expect(page).toMatchObject({ blocks: [], wordsAdded: 0 });
  });

  test('is compared by its markup', async () => {
    const query = `${prices()}&run_id=${runs[1]?.id}`;
    const { changes, degraded } = bodyOf<MarkupChanges>(await workspace.reader.get(at(`/changes/markup?${query}`)));
    expect(degraded).toBeNull();
    expect(changes).toMatchObject([
      { op: 'text', before: expect.stringContaining('12'), after: expect.stringContaining('14') },
    ]);
  });
});

describe('the screenshots of a page', () => {
  test('are stored if requested, compared, and returned with the changed areas', async () => {
    const seed = `${site.origin}/prices`;
    const config = { max_pages: 1, use_sitemap: false, screenshot: 'viewport' };
    const { id } = await makeProject(workspace.writer, { seed, config });
    site.fee = 20;
    const first = await runToEnd(workspace.writer, id);
    site.fee = 35;
    await runToEnd(workspace.writer, id);
    const query = `/projects/${id}/changes/screenshot?url=${encodeURIComponent(seed)}`;
    const changes = bodyOf<ScreenshotChanges>(await workspace.reader.get(query));
    expect(changes).toMatchObject({ before: { runId: first.id, width: 1280 }, heightDiffers: false, degraded: null });
    expect(changes.areas).toHaveLength(1);
    expect(changes.areas[0]?.width).toBeLessThan(40);
    for (const [link, name] of [
      [changes.before.image, 'screenshot-before.jpg'],
      [changes.after.image, 'screenshot-after.jpg'],
      [changes.image, 'screenshot-diff.png'],
    ] as const) {
      const { status, headers } = await workspace.reader.get(link.slice(link.indexOf('/v1') + 3));
      expect([status, headers.get('content-disposition')]).toEqual([200, `inline; filename="${name}"`]);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  test('return 404 with the setting to enable if they were not stored', async () => {
    const { error, ...rest } = errorOf(await workspace.reader.get(at(`/changes/screenshot?${prices()}`)));
    expect(rest).toMatchObject({ status: 404, code: 'not_found' });
    expect(error).toMatch(/reading .* has no screenshot; config\.screenshot/);
  });
});

test('the newest changes are available as an Atom feed', async () => {
  const { status, text, headers } = await workspace.reader.get(at('/changes.atom'));
  expect([status, headers.get('content-type')]).toEqual([200, 'application/atom+xml']);
  expect(text).toMatch(/^<\?xml [^>]*>\n<feed xmlns="http:\/\/www\.w3\.org\/2005\/Atom">/);
  expect(text.match(/<entry>/g)).toHaveLength(1);
  expect(text).toContain(`<link href="${site.origin}/prices"/>`);
});

test('a feed URL opens the same feed without a key, answers conditional requests, and gets 404 once it is revoked', async () => {
  const created = await workspace.admin.post(at('/feeds'), { name: 'reader' });
  const { id, url } = created.body as { id: string; url: string };
  expect([created.status, url]).toEqual([201, expect.stringMatching(/\/v1\/feeds\/feed_[\w-]{43}\/changes\.atom$/)]);
  expect((await workspace.reader.get(at('/feeds'))).text).not.toContain(url.split('/').at(-2));
  const opened = await fetch(url);
  const text = await opened.text();
  expect([opened.status, opened.headers.get('content-type')]).toEqual([200, 'application/atom+xml']);
  expect([opened.headers.get('referrer-policy'), opened.headers.get('cache-control')]).toEqual([
    'no-referrer',
    'private, no-cache',
  ]);
  expect(text).toContain(`<link rel="self" href="${url}"/>`);
  const withoutSelf = (feed: string) => feed.replace(/<link rel="self" [^>]*>/, '');
  const keyed = await workspace.reader.get(at('/changes.atom'));
  expect(withoutSelf(text)).toBe(withoutSelf(keyed.text));
  const etag = opened.headers.get('etag') ?? '';
  const again = await fetch(url, { headers: { 'if-none-match': etag } });
  expect([etag, again.status, await again.text()]).toEqual([expect.stringMatching(/^"[\w-]+"$/), 304, '']);
  expect((await fetch(url, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  // The token is no API key, and opens no other path.
  const token = new URL(url).pathname.split('/').at(-2) ?? '';
  expect((await fleet.api(token).get(at('/changes'))).status).toBe(401);
  const { status } = await workspace.admin.delete(`${at('/feeds')}/${id}`);
  const [revoked, unknown] = [await fetch(url), await fetch(url.replace(token, `feed_${'A'.repeat(43)}`))];
  expect([status, revoked.status, unknown.status]).toEqual([204, 404, 404]);
  const withoutId = async (response: Response) => ({ ...((await response.json()) as object), request_id: '' });
  expect(await withoutId(revoked)).toEqual(await withoutId(unknown));
});

describe('a page that a run added or removed', () => {
  const notices = (): string => `url=${encodeURIComponent(`${site.origin}/notices`)}`;
  const entryOf = async (run: RunEnvelope) => {
    const { entries } = await recordOf(workspace.reader, project.id, run.id);
    return entries.find(({ url }) => url === `${site.origin}/notices`);
  };

  test('can be read in its entry and in its comparison, with every block', async () => {
    site.hasNotices = true;
    const added = await runToEnd(workspace.writer, project.id);
    site.hasNotices = false;
    const removed = await runToEnd(workspace.writer, project.id);
    for (const [run, op, side, missing] of [
      [added, 'added', 'after', 'before'],
      [removed, 'removed', 'before', 'after'],
    ] as const) {
      const entry = await entryOf(run);
      const texts = entry?.blocks.map((block) => [block.op, block[side]]);
      expect([entry?.kind, texts]).toEqual([op, expect.arrayContaining([[op, 'Notices']])]);
      const page = bodyOf<PageChanges>(await workspace.reader.get(at(`/changes/page?${notices()}&run_id=${run.id}`)));
      expect(page[missing]).toBeNull();
      expect(page.blocks.map((block) => block.op)).toContain(op);
      expect(new Set(page.blocks.map((block) => block.op)).size).toBe(1);
      expect(page.html).toContain('The north pier is closed for repairs until May.');
    }
  });

  test('is an error that names the run where nothing came before, or where neither run has the page', async () => {
    const first = errorOf(await workspace.reader.get(at(`/changes/page?${prices()}&run_id=${runs[0]?.id}`)));
    expect([first.status, first.error]).toEqual([
      404,
      expect.stringContaining(`run ${runs[0]?.id} is the first to read`),
    ]);
    const nowhere = errorOf(await workspace.reader.get(at(`/changes/page?${notices()}&run_id=${runs[1]?.id}`)));
    expect([nowhere.status, nowhere.error]).toEqual([
      404,
      `run ${runs[1]?.id} has no page with this URL and neither does run ${runs[0]?.id}, which it was compared with`,
    ]);
  });
});
