import { describe, expect, it } from '@jest/globals';
import { buildReport, eventOf } from './build-report.ts';
import {
  channelsOf,
  entry,
  HOSTILE,
  noVerdict,
  recordOf,
  runNotification,
  SHOP_ENTRIES,
  selectorBreak,
  siteHealthNotification,
} from './fixtures/notifications.ts';
import { pageLine } from './page-line.ts';
import { cut, neutralize, plain } from './plain-text.ts';

const CONSOLE = 'https://console.example/';

describe('the report of a run', () => {
  it('lists what changed, page by page, and links to the run', () => {
    expect(buildReport(runNotification(), CONSOLE)).toMatchObject({
      title: 'shop.example: 1 page added, 1 removed, 4 modified',
      counts: [
        { name: 'added', count: 1 },
        { name: 'removed', count: 1 },
        { name: 'modified', count: 4 },
        { name: 'field changed', count: 1 },
      ],
      pages: [
        { kind: 'added', title: 'Brass wall lamp', summary: '212 words added', section: '' },
        { kind: 'removed', title: 'Old lantern', summary: '', section: '' },
        {
          kind: 'modified',
          title: 'Terms of sale',
          summary: '14 words added, 9 removed, title changed',
          section: 'Returns',
          excerpt: 'Goods come back within [30 → 14] days.',
        },
        { kind: 'many', summary: 'the same on 48 pages', url: 'https://shop.example/' },
      ],
      more: 3,
      link: 'https://console.example/projects/prj_1/runs/run_1',
    });
    expect(buildReport(runNotification(), '')?.link).toBe('');
  });

  it('shows each page with its title and its path, and names no place inside a page that was added or removed', () => {
    const { pages = [] } = buildReport(runNotification(), CONSOLE) ?? {};
    const lines = pages.map(pageLine).map(({ label, summary }) => `${label} | ${summary}`);
    expect(lines).toEqual([
      '+ Brass wall lamp · /lamps/brass-wall-lamp | 212 words added',
      '− Old lantern · /lamps/old-lantern | removed',
      '~ Terms of sale · /terms?version=2026 | 14 words added, 9 removed, title changed in “Returns”: Goods come back within [30 → 14] days.',
      '≈ / | the same on 48 pages in “Footer”',
    ]);
  });

  it.each([
    ['compared clean', { same: 90, unverified: 3, withheld: 2, skipped: 5, volatileBlocks: 7 }],
    ['found nothing', {}],
  ])('is undefined where the run %s', (_, counts) => {
    expect(
      buildReport(
        runNotification({
          entries: [],
          record: recordOf({ counts: { added: 0, removed: 0, modified: 0, fields: 0, ...counts } }),
        }),
        '',
      ),
    ).toBeUndefined();
  });

  it('holds a change that many pages share, though none of them counts as modified', () => {
    const alike = SHOP_ENTRIES.filter(({ kind }) => kind === 'template');
    const report = buildReport(runNotification({ entries: alike, record: recordOf({ counts: { same: 90 } }) }), '');
    expect(report?.title).toBe('shop.example: the same change on 48 pages');
    expect(report?.pages).toMatchObject([{ kind: 'many' }]);
    const byItself = alike.map((one) => ({ ...one, volatile: true }));
    expect(
      buildReport(runNotification({ entries: byItself, record: recordOf({ counts: { same: 90 } }) }), ''),
    ).toBeUndefined();
  });

  it('is undefined without a record', () => {
    expect(buildReport(runNotification({ record: undefined }), '')).toBeUndefined();
    expect(buildReport(runNotification({ record: recordOf({ status: 'failed' }) }), '')).toBeUndefined();
  });

  it.each(['cancelled', 'error'] as const)(
    'is undefined for a run with status %s, whose changes the next run reports',
    (status) => {
      const { run } = runNotification();
      expect(buildReport(runNotification({ run: { ...run, status } }), '')).toBeUndefined();
    },
  );

  it('names fields and selectors where no page changed', () => {
    const none = { added: 0, removed: 0, modified: 0 };
    const fields = recordOf({ counts: { ...none, fields: 2 } });
    expect(buildReport(runNotification({ record: fields, entries: [] }), '')?.title).toBe(
      'shop.example: 2 fields changed',
    );
    const broken = recordOf({
      counts: { ...none, fields: 0, selectorBreaks: 1 },
      breaks: [selectorBreak('fields.price', '.p')],
    });
    expect(buildReport(runNotification({ record: broken, entries: [] }), '')).toMatchObject({
      title: 'shop.example: 1 selector broken',
      lines: ['The selector .p of fields.price no longer matches anything.'],
    });
  });

  it('states that a record is no verdict, and why', () => {
    const coverage = noVerdict('stop_limit', 'not_known_yet');
    expect(buildReport(runNotification({ record: recordOf({ coverage }) }), '')?.lines).toEqual([
      'This is no verdict on the whole site: the run ended at its page limit.',
    ]);
  });

  it('lists ten pages, leaves out volatile ones, and counts the others', () => {
    const entries = Array.from({ length: 20 }, (_, at) =>
      entry({ url: `https://shop.example/${at}`, volatile: at === 0 }),
    );
    const report = buildReport(runNotification({ entries, record: recordOf({ counts: { modified: 400 } }) }), '');
    expect(report?.pages.map(({ url }) => url.slice(-2))).toEqual([
      '/1',
      '/2',
      '/3',
      '/4',
      '/5',
      '/6',
      '/7',
      '/8',
      '/9',
      '10',
    ]);
    expect(report?.more).toBe(390);
  });

  it('counts the pages of a redesign as listed, and not those where the template alone changed', () => {
    const many = (isRedesign: boolean) => [entry({ kind: 'template', template: { pages: 90, urls: [], isRedesign } })];
    const record = recordOf({ counts: { modified: 100 } });
    expect(buildReport(runNotification({ entries: many(true), record }), '')?.more).toBe(10);
    expect(buildReport(runNotification({ entries: many(false), record }), '')?.more).toBe(100);
  });

  it('is bounded, whatever the texts of pages and models', () => {
    const long = HOSTILE.repeat(2_000);
    const entries = Array.from({ length: 20 }, () =>
      entry({ section: long, url: `https://shop.example/${'x'.repeat(9_000)}` }),
    );
    const digest = { summary: long, points: Array.from({ length: 50 }, () => long), significant: true };
    const breaks = Array.from({ length: 50 }, () => selectorBreak(long, long));
    const notification = runNotification({
      entries,
      digest,
      record: recordOf({ breaks }),
      channels: channelsOf({ projectName: long }),
    });
    expect(JSON.stringify(buildReport(notification, CONSOLE)).length).toBeLessThan(32_000);
  });
});

describe('the report of a site', () => {
  it('states that its runs fail, or work again, and why', () => {
    expect(buildReport(siteHealthNotification('failing'), CONSOLE)).toMatchObject({
      kind: 'monitor',
      mood: 'failing',
      title: 'shop.example: runs are failing',
      lines: ['The last 3 runs read no page.'],
    });
    expect(buildReport(siteHealthNotification('recovered', ''), '')).toMatchObject({
      title: 'shop.example: runs work again',
      lines: [],
    });
  });

  it('has a separate key for each change of each run', () => {
    const keys = [siteHealthNotification('failing'), siteHealthNotification('recovered'), runNotification()].map(
      (notification) => eventOf(notification).key,
    );
    expect(keys).toEqual(['run_1:site.failing', 'run_1:site.recovered', 'run_1:run.finished']);
  });
});

describe('plain text', () => {
  it('is one well-formed line, without control characters and direction marks', () => {
    expect(plain(' a\n\tb\u0000c \u202ed\ud800 ', 50)).toBe('a bc d\ufffd');
    expect(plain('x'.repeat(100), 10)).toBe(`${'x'.repeat(9)}…`);
  });

  it('is never cut inside a character', () => {
    expect(cut('ab😀cd', 4)).toBe('ab…');
    expect(cut('ab😀', 4)).toBe('ab😀');
  });

  it('holds nothing that a client turns into a link or a mention', () => {
    const quiet = neutralize('see https://a.example, www.b.example, @all');
    expect(quiet).not.toMatch(/:\/\/|www\.|@all/);
    expect(quiet.replaceAll('\u200b', '')).toBe('see https://a.example, www.b.example, @all');
  });
});
