import { expect, it } from '@jest/globals';
import { blockOf } from '../../../test/fixtures/site-pages.ts';
import { changeEventsOf } from './change-events.ts';
import { blockEntry, type EntryContent, makeEntry } from './entry.ts';

const ORIGIN = { projectId: 'prj_1', runId: 'run_2', firstSeenAt: '2026-01-01T00:00:00.000Z' };
const URL_A = 'http://a.example/a';
const entry = (content: Partial<EntryContent>) =>
  makeEntry(ORIGIN, { pageKey: 'a.example/a', url: URL_A, kind: 'modified', verdicts: ['ok', 'ok'], ...content });

it('changeEventsOf returns page.changed with word counts, section and field names for an added, removed or modified page', () => {
  const fields = [{ name: 'description', from: 'a', to: 'b' }];
  expect(changeEventsOf(entry({ fields, wordsAdded: 3, wordsRemoved: 1, section: 'Prices' }))).toEqual([
    {
      event: 'page.changed',
      url: URL_A,
      kind: 'modified',
      wordsAdded: 3,
      wordsRemoved: 1,
      section: 'Prices',
      volatile: false,
      fields: ['description'],
    },
  ]);
  expect(changeEventsOf(entry({ kind: 'added', returned: true }))).toMatchObject([{ kind: 'added', returned: true }]);
  expect(changeEventsOf(entry({ kind: 'removed' }))).toMatchObject([{ event: 'page.changed', kind: 'removed' }]);
});

it.each(['canonical', 'robots', 'title'])(
  'changeEventsOf returns field.canonical with both values when %s changes',
  (name) => {
    expect(changeEventsOf(entry({ fields: [{ name, from: 'a' }] }))).toMatchObject([
      { event: 'page.changed', fields: [name] },
      { event: 'field.canonical', field: name, from: 'a', to: null, pages: 1 },
    ]);
  },
);

it('changeEventsOf returns one event with the page count for a change folded over many pages', () => {
  const template = { pages: 40, urls: [URL_A], isRedesign: false };
  const events = changeEventsOf(entry({ kind: 'template', template, fields: [{ name: 'robots', to: 'noindex' }] }));
  expect(events).toMatchObject([{ event: 'field.canonical', field: 'robots', pages: 40 }]);
});

it.each([
  ['ok', 'blocked: CAPTCHA', ['page.blocked']],
  ['ok', 'blocked: NOT_FOUND', []],
  ['ok', 'ok', []],
] as const)(
  'changeEventsOf maps a readable page that turns from %s to %s to the events %j',
  (before, after, events) => {
    const verdicts = [before, after] as const;
    const found = changeEventsOf(entry({ kind: 'unverified', reason: 'unreadable', verdicts, turnedUnreadable: true }));
    expect(found.map(({ event }) => event)).toEqual(events);
  },
);

it.each(['blocked: CAPTCHA', 'blocked: NOT_FOUND', 'robots', 'ok', ''])(
  'changeEventsOf returns no event for a refused page that was %s and not readable before',
  (before) => {
    const verdicts = [before, 'blocked: CAPTCHA'] as const;
    expect(changeEventsOf(entry({ kind: 'unverified', reason: 'unreadable', verdicts }))).toEqual([]);
  },
);

it.each([
  ['orphaned', 'page.orphaned'],
  ['linked', 'page.linked'],
] as const)('changeEventsOf maps links %s to the event %s', (links, event) => {
  expect(changeEventsOf(entry({ kind: 'same', links, fields: [{ name: 'inLinks', to: '0' }] }))).toEqual([
    { event, url: URL_A },
  ]);
});

it('changeEventsOf returns no event for a withheld page', () => {
  expect(changeEventsOf(entry({ kind: 'withheld', reason: 'not_reached' }))).toEqual([]);
});

it('makeEntry throws for an entry without blocks and fields', () => {
  expect(() => entry({})).toThrow('nothing to show');
});

it('makeEntry truncates an entry above the text limit and marks it truncated', () => {
  const change = (text: string) => ({
    op: 'added' as const,
    after: blockOf(text).block,
    section: '',
    anchor: 'p',
    words: [['+', text] as const],
    wordsAdded: 1,
    wordsRemoved: 0,
    isNumericOnly: false,
  });
  const longEntry = entry({ blocks: Array.from({ length: 100 }, () => blockEntry(change('x'.repeat(2_000)), false)) });
  expect(longEntry.truncated).toBe(true);
  expect(JSON.stringify(longEntry).length).toBeLessThan(60_000);
  const single = entry({ blocks: [blockEntry(change('x'.repeat(1_000_000)), false)] });
  expect(single).toMatchObject({ truncated: true, blocks: [{ op: 'added' }] });
  expect(JSON.stringify(single).length).toBeLessThan(60_000);
});

it('makeEntry derives the id from page, kind and run, and the delta key from the change alone', () => {
  const content = { fields: [{ name: 'title', from: 'a', to: 'b' }] };
  const [single, repeated] = [entry(content), entry(content)];
  expect(repeated).toEqual(single);
  const next = makeEntry({ ...ORIGIN, runId: 'run_3' }, { ...single, ...content });
  expect(next.id).not.toBe(single.id);
  expect(next.deltaKey).toBe(single.deltaKey);
  expect(entry({ fields: [{ name: 'title', from: 'a', to: 'c' }] }).deltaKey).not.toBe(single.deltaKey);
});
