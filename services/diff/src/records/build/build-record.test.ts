import { describe, expect, it } from '@jest/globals';
import { MemoryProject } from '../../../test/fixtures/memory-project.ts';
import type { SitePage, SitePages } from '../../../test/fixtures/site-pages.ts';
import {
  B,
  D,
  missing,
  page,
  pageAbout,
  projectWith,
  refused,
  site,
  siteWithout,
} from '../../../test/fixtures/small-site.ts';

describe('buildRecord for a first run', () => {
  it('writes a record without entries and with reason no_baseline', async () => {
    const { head, entries } = await new MemoryProject().run(site);
    expect(entries).toEqual([]);
    expect(head).toMatchObject({
      baseline: null,
      counts: { unverified: 4, added: 0 },
      coverage: { reasons: ['no_baseline'] },
    });
  });
});

describe('buildRecord for an unchanged site', () => {
  it('reports every page as same and loads none', async () => {
    const { head, entries, opened } = await (await projectWith()).run(site);
    expect(head).toMatchObject({ baseline: 'run_1', counts: { same: 4 }, coverage: { verdict: true } });
    expect([entries, opened]).toEqual([[], []]);
  });
});

describe('buildRecord for an edited page', () => {
  it('reports the page as modified with words and section, and loads only this page', async () => {
    const before = page({ text: 'The office opens at nine', section: 'Contact' }, 'Another text');
    const after = page({ text: 'The office opens at ten', section: 'Contact' }, 'Another text');
    const project = await projectWith({ ...site, [B]: before });
    const { head, entries, opened } = await project.run({ ...site, [B]: after });
    expect(head.counts).toMatchObject({ modified: 1, same: 3 });
    expect(opened.map((id) => id.split(' ')[1])).toEqual([B, B]);
    expect(entries).toMatchObject([
      {
        kind: 'modified',
        url: B,
        title: `Title of ${B}`,
        section: 'Contact',
        wordsAdded: 1,
        wordsRemoved: 1,
        verdicts: ['ok', 'ok'],
      },
    ]);
    expect(entries[0]?.blocks).toMatchObject([
      { op: 'edited', before: 'The office opens at nine', after: 'The office opens at ten' },
    ]);
  });

  it('compares with the last good reading of any run', async () => {
    const project = await projectWith();
    await project.run({ ...site, [B]: refused });
    const { entries } = await project.run({ ...site, [B]: pageAbout('wasps') });
    expect(entries).toMatchObject([
      { kind: 'modified', url: B, baselineRunId: 'run_1', verdicts: ['blocked: BLOCKED', 'ok'] },
    ]);
  });

  it('lists extracted fields except those whose selector broke', async () => {
    const priced = (price: string): SitePages => ({ ...site, [B]: { ...pageAbout('bees'), fields: { price } } });
    const project = await projectWith(priced('19'));
    const { head, entries } = await project.run(priced('91'));
    expect(entries).toMatchObject([{ fields: [{ name: 'fields.price', from: '19', to: '91' }] }]);
    expect(head.counts.fields).toBe(1);
    const broken = { selectorBreaks: 1, brokenFields: new Set(['price']) };
    const next = await project.run(priced(''), { request: broken });
    expect(next.head.counts).toMatchObject({ fields: 0, selectorBreaks: 1, same: 4 });
  });
});

describe('buildRecord for an unreadable page', () => {
  it('reports the page as unverified and keeps the last good reading as baseline', async () => {
    const project = await projectWith();
    const { head, entries } = await project.run({ ...site, [B]: refused }, { run: {} });
    expect(entries).toMatchObject([
      { kind: 'unverified', url: B, reason: 'unreadable', verdicts: ['ok', 'blocked: BLOCKED'] },
    ]);
    expect(head.counts).toMatchObject({ unverified: 1, same: 3 });
    expect((await project.run(site)).head.counts).toMatchObject({ same: 4 });
  });

  it('reports a page that was refused first and read later as a first reading, and compares it in the next run', async () => {
    const project = await projectWith({ ...site, [B]: refused });
    const { entries } = await project.run(site);
    expect(entries).toMatchObject([{ kind: 'unverified', url: B, reason: 'first_reading' }]);
    const { head } = await project.run({ ...site, [B]: pageAbout('wasps') });
    expect(head.counts).toMatchObject({ modified: 1, unverified: 0 });
  });

  it('reports a page that became an app shell as unverified', async () => {
    const project = await projectWith();
    const shell: SitePage = { ...page('Loading'), reading: { signals: ['app shell'] } };
    const { entries } = await project.run({ ...site, [B]: shell });
    expect(entries).toMatchObject([{ kind: 'unverified', reason: 'shell' }]);
    expect((await project.run(site)).head.counts).toMatchObject({ same: 4 });
  });
});

describe('buildRecord for a reading made by other rules', () => {
  const changed: SitePage = { ...pageAbout('wasps'), reading: { contentVariantKey: 'other', blocksVersion: 2 } };

  it('reports the page as unverified once if the earlier reading cannot be derived again, and compares it in later runs', async () => {
    const project = await projectWith();
    const { entries } = await project.run({ ...site, [B]: changed });
    expect(entries).toMatchObject([{ kind: 'unverified', reason: 'configuration_changed' }]);
    expect((await project.run({ ...site, [B]: changed })).head.counts).toMatchObject({ same: 4 });
  });

  it('compares the page if the earlier reading can be derived again', async () => {
    const project = await projectWith();
    const rules = { contentVariantKey: 'other', blocksVersion: 2 };
    const { head } = await project.run(
      { ...site, [B]: { ...pageAbout('bees'), reading: rules } },
      { ports: { rederive: async (reading) => ({ ...reading, ...rules }) } },
    );
    expect(head.counts).toMatchObject({ same: 4, unverified: 0 });
  });

  it.each([
    ['method_changed', { method: 'browser' }],
    ['language_changed', { language: 'de' }],
  ])('reports %s instead of an edit, and keeps the last good reading as baseline', async (reason, reading) => {
    const project = await projectWith();
    const { entries } = await project.run({ ...site, [B]: { ...pageAbout('wasps'), reading } });
    expect(entries).toMatchObject([{ kind: 'unverified', reason }]);
    const { head } = await project.run(site);
    expect(head.counts).toMatchObject({ same: 4, unverified: 0 });
  });

  it.each([
    ['another engine', 'method_changed', { method: 'browser' }],
    ['another language', 'language_changed', { language: 'de' }],
    ['another device or login', 'configuration_changed', { contentVariantKey: 'mobile' }],
    ['another version of the block rules', 'rules_changed', { blocksVersion: 2 }],
  ])('lists the words that differ in a reading by %s, with the doubt', async (_, reason, reading) => {
    const priced = (price: string): SitePage => page('The pump holds the valve.', `It costs ${price} with the hose.`);
    const project = await projectWith({ ...site, [B]: priced('680 euros') });
    const { head, entries } = await project.run({ ...site, [B]: { ...priced('734 euros'), reading } });
    expect(head.counts).toMatchObject({ unverified: 1, modified: 0, same: 3 });
    expect(entries).toMatchObject([{ kind: 'unverified', reason, wordsAdded: 1, wordsRemoved: 1 }]);
    expect(entries[0]?.blocks).toMatchObject([
      { op: 'edited', before: 'It costs 680 euros with the hose.', after: 'It costs 734 euros with the hose.' },
    ]);
  });

  it('counts a page of equal content as same, whatever device or engine read it', async () => {
    const project = await projectWith();
    const reading = { contentVariantKey: 'mobile', method: 'browser', blocksVersion: 2 };
    const { head } = await project.run({ ...site, [B]: { ...pageAbout('bees'), reading } });
    expect(head.counts).toMatchObject({ same: 4, unverified: 0 });
  });

  it('lists no words where other selectors chose the blocks', async () => {
    const project = await projectWith({ ...site, [B]: { ...pageAbout('bees'), reading: { blockRulesKey: 'all' } } });
    const { entries } = await project.run({
      ...site,
      [B]: { ...pageAbout('wasps'), reading: { blockRulesKey: 'main' } },
    });
    expect(entries).toMatchObject([{ kind: 'unverified', reason: 'configuration_changed', blocks: [] }]);
  });

  it('never reports the engine as a change of the page, also when it stays', async () => {
    const project = await projectWith();
    const rendered: SitePage = { ...pageAbout('wasps'), reading: { method: 'browser' } };
    const kinds: unknown[] = [];
    for (let run = 0; run < 4; run += 1) {
      const { entries } = await project.run({ ...site, [B]: rendered });
      kinds.push(entries.map(({ kind, fields }) => [kind, ...fields]));
    }
    expect(kinds).toEqual([[['unverified']], [['unverified']], [['unverified']], []]);
  });

  it('compares with the new engine from the next run on where the configuration demands it', async () => {
    const project = await projectWith();
    const rendered: SitePage = { ...pageAbout('wasps'), reading: { method: 'browser' } };
    const request = { requiredEngine: 'browser' } as const;
    const first = await project.run({ ...site, [B]: rendered }, { request });
    expect(first.entries).toMatchObject([{ kind: 'unverified', reason: 'method_changed' }]);
    expect((await project.run({ ...site, [B]: rendered }, { request })).head.counts).toMatchObject({ same: 4 });
  });

  it('reports another language once it was read three times in a row, as one entry, and compares with it from then on', async () => {
    const project = await projectWith();
    const german: SitePage = { ...pageAbout('wasps'), reading: { language: 'de-AT' } };
    const kinds: unknown[] = [];
    for (const pages of [{ [B]: german }, {}, { [B]: german }, { [B]: german }, { [B]: german }, { [B]: german }]) {
      const { entries } = await project.run({ ...site, ...pages });
      kinds.push(entries.map(({ kind, fields }) => [kind, ...fields]));
    }
    expect(kinds).toEqual([
      [['unverified']],
      [],
      [['unverified']],
      [['unverified']],
      [['modified', { name: 'language', from: 'en', to: 'de' }]],
      [],
    ]);
  });
});

describe('buildRecord for added and removed pages', () => {
  it('lists the blocks of an added page as added and those of a removed page as removed', async () => {
    const project = await projectWith();
    const { entries } = await project.run(
      { ...siteWithout(D), 'http://a.example/e': page('First line', 'Second line') },
      { verifiable: { [D]: missing } },
    );
    const texts = entries.map(({ kind, blocks }) => [
      kind,
      blocks.length,
      blocks[0]?.op,
      blocks[0]?.after ?? blocks[0]?.before,
    ]);
    expect(texts.sort()).toEqual([
      ['added', 2, 'added', 'First line'],
      ['removed', 13, 'removed', 'This page is about dogs and no other subject'],
    ]);
  });

  it('truncates a long page in its entry', async () => {
    const project = await projectWith();
    const long = page(...Array.from({ length: 40 }, (_, at) => `line ${at} ${'word '.repeat(100)}`));
    const { entries } = await project.run({ ...site, 'http://a.example/e': long });
    expect(entries).toMatchObject([{ kind: 'added', truncated: true }]);
    expect(entries[0]?.blocks.length).toBeLessThan(25);
  });
});

describe('buildRecord for files for machines', () => {
  it('counts a feed and a sitemap under their own name and writes no entry for them', async () => {
    const feed = (text: string): SitePage => ({ ...page(text), reading: { isMachineRead: true } });
    const project = await projectWith({ ...site, 'http://a.example/feed.rss': feed('one item') });
    const { head, entries } = await project.run({
      ...site,
      'http://a.example/feed.rss': feed('one item and another'),
      'http://a.example/sitemap.xml': feed('a URL'),
    });
    expect(entries).toEqual([]);
    expect(head.counts).toMatchObject({ machineRead: 2, same: 4, added: 0, modified: 0 });
  });
});

it('buildRecord waits for pending writes before it rejects', async () => {
  const project = new MemoryProject();
  const manyPages: SitePages = Object.fromEntries(
    Array.from({ length: 600 }, (_, at) => [`${B}/${at + 1_000}`, pageAbout('bees')]),
  );
  await project.run(manyPages);
  let pendingWrites = 0;
  const known = async (): Promise<void> => {
    pendingWrites += 1;
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    pendingWrites -= 1;
  };
  const nothing = async (): Promise<void> => undefined;
  const sink = { knownPages: known, entries: nothing, aliases: nothing, volatility: nothing, ignored: nothing };
  const compare = () => Promise.reject(new Error('worker threads unavailable'));
  const failing = project.run(
    { ...manyPages, [`${B}/1590`]: pageAbout('wasps') },
    { ports: { sink, compareBlocks: compare } },
  );
  await expect(failing).rejects.toThrow('worker threads unavailable');
  expect(pendingWrites).toBe(0);
});

describe('buildRecord for a run that failed or was cancelled', () => {
  const wasps = { [B]: pageAbout('wasps') };

  it.each(['error', 'cancelled'])('with status %s changes no known state and is no baseline', async (status) => {
    const project = await projectWith();
    const before = structuredClone(project.known);
    const { entries } = await project.run(wasps, { run: { status, stop: undefined } });
    expect(entries.filter(({ kind }) => kind === 'modified')).toMatchObject([{ url: B }]);
    expect(project.known).toEqual(before);
    const next = await project.run({ ...site, ...wasps });
    expect(next.head).toMatchObject({ baseline: 'run_1', counts: { modified: 1 } });
    // An entry names its baseline only where it differs from that of the record.
    expect(next.entries).toEqual([expect.not.objectContaining({ baselineRunId: expect.anything() })]);
  });

  it('names the run before it as the baseline of the next record if it read nothing', async () => {
    const project = await projectWith();
    const failed = await project.run({ [B]: refused }, { run: { status: 'error', stop: 'refused' } });
    expect(failed.head).toMatchObject({ baseline: 'run_1', coverage: { read: 0, known: 4, unread: 4 } });
    expect(failed.head.coverage.reasons).toContain('nothing_read');
    expect((await project.run(site)).head).toMatchObject({ baseline: 'run_1', counts: { same: 4 } });
  });
});

it('buildRecord counts the pages that a run found as known', async () => {
  const project = await projectWith();
  const { head } = await project.run({ ...site, 'http://a.example/new': pageAbout('newts') });
  expect(head.coverage).toMatchObject({ known: 5, read: 5, unread: 0 });
});

describe('buildRecord for a recrawl', () => {
  it('covers only the listed pages and changes no known state', async () => {
    const project = await projectWith();
    const before = structuredClone(project.known);
    const { head, entries, aliases } = await project.build('run_listed', [], {
      run: { isRecrawl: true, stop: 'finished' },
    });
    expect(head).toMatchObject({
      counts: { withheld: 0, removed: 0 },
      coverage: { verdict: false, reasons: ['listed_only'] },
    });
    expect([entries, aliases, project.known]).toEqual([[], [], before]);
  });

  it('compares with the last full run regardless of recrawls in between', async () => {
    const project = await projectWith();
    const recrawl = { run: { isRecrawl: true } };
    await project.run({ [B]: pageAbout('wasps') }, { ...recrawl, asBaseline: { runId: 'run_1', isComplete: true } });
    const { entries } = await project.run(
      { [B]: pageAbout('wasps') },
      { ...recrawl, asBaseline: { runId: 'run_1', isComplete: true } },
    );
    expect(entries).toMatchObject([{ kind: 'modified', url: B }]);
    expect((await project.run(site)).head.counts).toMatchObject({ same: 4 });
  });
});

describe('buildRecord with control readings', () => {
  const E = 'http://a.example/e/';
  const plain = (text: string): SitePage => page('The harbour opens at nine.', text);
  const rendered = (text: string, ...more: string[]): SitePage => ({
    ...page('The harbour opens at nine.', text, 'Chat with our team', ...more),
    reading: { method: 'browser' },
  });

  it('reports a real edit as modified and an unchanged page as same when the engine was switched', async () => {
    const project = await projectWith({ ...site, [B]: plain('A berth costs 680.'), [D]: plain('Dogs are welcome.') });
    const { head, entries } = await project.run(
      { ...site, [B]: rendered('A berth costs 734.'), [D]: rendered('Dogs are welcome.') },
      { controllable: { [B]: plain('A berth costs 734.'), [D]: plain('Dogs are welcome.') } },
    );
    expect(head.counts).toMatchObject({ modified: 1, unverified: 0, same: 3 });
    expect(entries[0]?.blocks).toMatchObject([{ before: 'A berth costs 680.', after: 'A berth costs 734.' }]);
    const next = await project.run({
      ...site,
      [B]: rendered('A berth costs 734.'),
      [D]: rendered('Dogs are welcome.'),
    });
    expect(next.head.counts).toMatchObject({ same: 4 });
  });

  it('leaves out what the engine adds on every page from pages beyond the sample', async () => {
    const urls = Array.from({ length: 14 }, (_, at) => `${E}${at + 10}`);
    const textOf = (url: string): string => `Article ${url.slice(-2)} is about boats.`;
    const pagesBy = (pageOf: (text: string) => SitePage): SitePages =>
      Object.fromEntries(urls.map((url) => [url, pageOf(textOf(url))]));
    const project = await projectWith(pagesBy(plain));
    const edited = { [`${E}23`]: rendered(textOf(`${E}23`), 'It was edited today.') };
    const { head, entries } = await project.run(
      { ...pagesBy((text) => rendered(text)), ...edited },
      { controllable: pagesBy(plain) },
    );
    expect(head.counts).toMatchObject({ same: 13, unverified: 1, modified: 0 });
    expect(entries[0]?.blocks.map(({ after }) => after)).toEqual(['It was edited today.']);
  });

  it('shows the words with the doubt where no control reading could be made', async () => {
    const project = await projectWith({ ...site, [B]: plain('A berth costs 680.') });
    const { entries } = await project.run({ ...site, [B]: rendered('A berth costs 734.') });
    expect(entries).toMatchObject([{ kind: 'unverified', reason: 'method_changed', wordsAdded: 5, wordsRemoved: 1 }]);
  });
});
