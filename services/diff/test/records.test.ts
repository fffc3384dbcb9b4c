import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { CoverageEstimate } from '@tidemark/contracts/crawl/v1/crawl';
import { until } from '@tidemark/testkit';
import { type DiffTestServers, projectIn, startDiffServers } from './diff-servers.ts';
import type { FakePage } from './fake-peers.ts';

let setup: DiffTestServers;
beforeAll(async () => {
  setup = await startDiffServers();
});
afterAll(() => setup.close());
afterEach(() => {
  setup.peers.unlistedPages = 0;
  setup.peers.recaptures.clear();
});

const HOME = 'https://site.test/';
const page = (path: string, ...texts: string[]): FakePage => ({ url: `${HOME}${path}`, texts });
const site = (...more: FakePage[]): FakePage[] => [
  page('', 'Welcome to the harbour.'),
  page('tides', 'High at nine.'),
  ...more,
];

describe('DiffService.GetRecord', () => {
  it('returns a first record with reason no_baseline and without entries', async () => {
    const { run } = projectIn(setup);
    const { record, entries } = await run({ pages: site() });
    expect(record).toMatchObject({ baselineRunId: '', coverage: { verdict: false, reasons: ['no_baseline'] } });
    expect(entries).toEqual([]);
  });

  it('returns added, removed and edited pages with word counts', async () => {
    const { run } = projectIn(setup);
    const first = await run({ pages: site(page('old', 'A page that goes.')) });
    const { record, entries } = await run({
      pages: [page('', 'Welcome to the harbour.'), page('tides', 'High at noon.'), page('new', 'A page that came.')],
    });
    expect(record).toMatchObject({
      baselineRunId: first.record?.runId,
      counts: { added: 1, removed: 1, modified: 1, same: 1, withheld: 0, unverified: 0 },
      coverage: { verdict: true, complete: true, reasons: [], probed: 1 },
    });
    const byUrl = new Map(entries.map((entry) => [entry.url, entry]));
    expect(byUrl.get(`${HOME}tides`)).toMatchObject({
      kind: 'modified',
      section: 'News',
      wordsAdded: 1,
      wordsRemoved: 1,
    });
    expect(byUrl.get(`${HOME}new`)).toMatchObject({ kind: 'added' });
    expect(byUrl.get(`${HOME}old`)).toMatchObject({ kind: 'removed' });
  });

  it('returns the number of pages that the run estimated', async () => {
    const { run } = projectIn(setup);
    const coverage: CoverageEstimate = {
      found: 2,
      read: 2,
      estimate: { pages: 3, low: 2, high: 5, readShare: 0.75 },
      sections: [],
    };
    const { record } = await run({ pages: site(), coverage });
    expect(record?.coverage?.estimate).toEqual(coverage);
  });

  it('loads only pages that differ', async () => {
    const { run } = projectIn(setup);
    await run({ pages: site() });
    setup.peers.loadedCaptures.length = 0;
    const { record } = await run({ pages: [page('', 'Welcome to the harbour.'), page('tides', 'High at one.')] });
    expect(record?.counts).toMatchObject({ modified: 1, same: 1 });
    expect(setup.peers.loadedCaptures.every((id) => id.endsWith('tides'))).toBe(true);
    expect(setup.peers.loadedCaptures).toHaveLength(2);
  });

  it('filters changes regardless of preceding entries of other kinds', async () => {
    const { run, record } = projectIn(setup);
    const paths = Array.from({ length: 30 }, (_, i) => `a${i}`);
    await run({ pages: site(...paths.map((path) => page(path, 'Read.'))) });
    const unread = { verdict: 'blocked', errorCode: 'CAPTCHA', httpStatus: 403 } as const;
    const blocked = paths.map((path) => ({ url: `${HOME}${path}`, row: unread }));
    const pages = [page('', 'Welcome to the harbour.'), ...blocked, page('tides', 'High at ten.')];
    const built = await run({ pages });
    expect(built.record?.counts).toMatchObject({ unverified: 30, modified: 1 });
    const changed = await record(built.record?.runId ?? '', { kind: 'changed', limit: 20 });
    expect(changed.entries.map(({ kind, url }) => [kind, url])).toEqual([['modified', `${HOME}tides`]]);
    const doubtful = await record(built.record?.runId ?? '', { kind: 'doubtful', limit: 100 });
    expect(doubtful.entries.map(({ kind }) => kind)).toEqual(paths.map(() => 'unverified'));
  });

  it('compares a page that was unreadable with its last good reading', async () => {
    const { run } = projectIn(setup);
    await run({ pages: site() });
    const blocked = {
      url: `${HOME}tides`,
      row: { verdict: 'blocked', errorCode: 'CAPTCHA', httpStatus: 403 },
    } as const;
    const second = await run({
      pages: [...site().slice(0, 1), ...Array.from({ length: 8 }, (_, i) => page(`${i}`, 'More.')), blocked],
    });
    expect(second.entries.find(({ url }) => url.endsWith('tides'))).toMatchObject({ kind: 'unverified' });
    const third = await run({
      pages: [
        ...site().slice(0, 1),
        ...Array.from({ length: 8 }, (_, i) => page(`${i}`, 'More.')),
        page('tides', 'High at two.'),
      ],
    });
    expect(third.entries.find(({ url }) => url.endsWith('tides'))).toMatchObject({ kind: 'modified', wordsAdded: 1 });
  });

  it('gives a verdict for a run in list mode without a seed', async () => {
    const { run } = projectIn(setup);
    const listed = (...pages: FakePage[]) => ({
      pages: pages.map((one): FakePage => ({ ...one, known: { foundVia: 'list' } })),
      config: { crawl_mode: 'list_only' },
    });
    await run(listed(page('a', 'One.'), page('b', 'Two.')));
    const { record } = await run(listed(page('a', 'One.'), page('b', 'Three.')));
    expect(record).toMatchObject({ counts: { modified: 1 }, coverage: { verdict: true, reasons: [] } });
  });

  it('withholds removals when the run was stopped', async () => {
    const { run } = projectIn(setup);
    await run({ pages: site(page('far', 'Beyond the limit.')) });
    const { record, entries } = await run({ pages: site(), stop: 'page_limit' });
    expect(record).toMatchObject({
      counts: { removed: 0, withheld: 1 },
      coverage: { verdict: false, reasons: ['stop_limit'] },
    });
    expect(entries).toMatchObject([{ kind: 'withheld', url: `${HOME}far` }]);
  });

  it('leaves out pages outside the current scope', async () => {
    const { run } = projectIn(setup);
    await run({ pages: site(page('drafts/1', 'A draft.')) });
    const { record } = await run({ pages: site(), config: { exclude_paths: ['/drafts/'] } });
    expect(record).toMatchObject({ counts: { removed: 0, withheld: 0, same: 2 }, coverage: { outOfScope: 1 } });
  });

  it('covers only the listed pages of a recrawl, which never becomes a baseline', async () => {
    const { run } = projectIn(setup);
    const first = await run({ pages: site() });
    const recrawl = await run({ pages: [page('tides', 'High at three.')], trigger: 'recrawl' });
    expect(recrawl.record).toMatchObject({
      counts: { modified: 1, removed: 0, withheld: 0 },
      coverage: { reasons: ['listed_only'] },
    });
    const third = await run({ pages: site() });
    expect(third.record).toMatchObject({ baselineRunId: first.record?.runId, counts: { same: 2, modified: 0 } });
  });

  it('waits until all pages of the run are listed', async () => {
    const { finishRun, record, awaitRecord } = projectIn(setup);
    setup.peers.unlistedPages = 1;
    const id = await finishRun({ pages: site() });
    await until('the record to be deferred', async () => (await record(id)).record?.status === 'making');
    setup.peers.unlistedPages = 0;
    expect((await awaitRecord(id)).record?.counts).toMatchObject({ unverified: 2 });
  });

  it('builds one record for repeated run.finished events', async () => {
    const { finishRun, publishFinished, awaitRecord } = projectIn(setup);
    const pages = site();
    await awaitRecord(await finishRun({ pages }));
    const id = await finishRun({ pages: [page('', 'Welcome aboard.'), page('tides', 'High at nine.')] });
    const first = await awaitRecord(id);
    await publishFinished(id, { pages });
    await publishFinished(id, { pages });
    expect(await awaitRecord(id)).toEqual(first);
  });

  it('builds the record on another instance after the first one died', async () => {
    const { finishRun, awaitRecord, caller } = projectIn(setup);
    await awaitRecord(await finishRun({ pages: site() }));
    setup.peers.unlistedPages = 1;
    const id = await finishRun({ pages: site(page('new', 'News.')) });
    const { sql } = setup.servers.database;
    await until(
      'the first attempt to begin',
      async () => (await sql('SELECT FROM diff.records WHERE run_id = $1 AND due_at > finished_at', [id])).length > 0,
    );
    // The claiming process is gone and its lease has expired.
    await sql(
      `UPDATE diff.records SET owner = 'dead', lease_until = now() - interval '1 second', due_at = now() WHERE run_id = $1`,
      [id],
    );
    setup.peers.unlistedPages = 0;
    expect((await awaitRecord(id)).record?.counts).toMatchObject({ added: 1 });
    expect(caller.caller?.workspaceId).toBeDefined();
  });
});
