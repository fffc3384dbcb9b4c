import { expect, it } from '@jest/globals';
import { blockOf } from '../fixtures/site-pages.ts';
import { changeEventsOf } from './change-events.ts';
import { blockEntry, type EntryContent, makeEntry } from './entry.ts';

const PLACE = { projectId: 'prj_1', runId: 'run_2', firstSeenAt: '2026-01-01T00:00:00.000Z' };
const URL_A = 'http://a.example/a';
const entry = (content: Partial<EntryContent>) =>
  makeEntry(PLACE, { pageKey: 'a.example/a', url: URL_A, kind: 'modified', verdicts: ['ok', 'ok'], ...content });

it('a page added, removed or modified is told with its words, its section and the names of its fields', () => {
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

it.each(['canonical', 'robots', 'title'])('%s is told of by itself, with what it was', (name) => {
  expect(changeEventsOf(entry({ fields: [{ name, from: 'a' }] }))).toMatchObject([
    { event: 'page.changed', fields: [name] },
    { event: 'field.canonical', field: name, from: 'a', to: null, pages: 1 },
  ]);
});

it('the same on many pages is told once, with their number', () => {
  const template = { pages: 40, urls: [URL_A], isRedesign: false };
  const events = changeEventsOf(entry({ kind: 'template', template, fields: [{ name: 'robots', to: 'noindex' }] }));
  expect(events).toMatchObject([{ event: 'field.canonical', field: 'robots', pages: 40 }]);
});

it.each([
  [['ok', 'blocked: CAPTCHA'], ['page.blocked']],
  [['blocked: CAPTCHA', 'blocked: BLOCKED'], []],
  [['', 'blocked: CAPTCHA'], []],
  [['ok', 'blocked: NOT_FOUND'], []],
  [['ok', 'ok'], []],
] as const)('a page that goes %j gives %j: it is told when it becomes blocked, and not again', (verdicts, events) => {
  const found = changeEventsOf(entry({ kind: 'unverified', reason: 'unreadable', verdicts }));
  expect(found.map(({ event }) => event)).toEqual(events);
});

it.each([
  ['orphaned', 'page.orphaned'],
  ['linked', 'page.linked'],
] as const)('a page that is %s gives %s', (links, event) => {
  expect(changeEventsOf(entry({ kind: 'same', links, fields: [{ name: 'inLinks', to: '0' }] }))).toEqual([
    { event, url: URL_A },
  ]);
});

it('what is withheld is told of to nobody', () => {
  expect(changeEventsOf(entry({ kind: 'withheld', reason: 'not_reached' }))).toEqual([]);
});

it('an entry that has nothing to show cannot be made', () => {
  expect(() => entry({})).toThrow('nothing to show');
});

it('an entry holds no more than its share of a page that changed altogether, and says so', () => {
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
  const many = entry({ blocks: Array.from({ length: 100 }, () => blockEntry(change('x'.repeat(2_000)), false)) });
  expect(many.truncated).toBe(true);
  expect(JSON.stringify(many).length).toBeLessThan(60_000);
  const one = entry({ blocks: [blockEntry(change('x'.repeat(1_000_000)), false)] });
  expect(one).toMatchObject({ truncated: true, blocks: [{ op: 'added' }] });
  expect(JSON.stringify(one).length).toBeLessThan(60_000);
});

it('an id is that of the page and what became of it in this run; the key of its change stays from run to run', () => {
  const content = { fields: [{ name: 'title', from: 'a', to: 'b' }] };
  const [one, again] = [entry(content), entry(content)];
  expect(again).toEqual(one);
  const next = makeEntry({ ...PLACE, runId: 'run_3' }, { ...one, ...content });
  expect(next.id).not.toBe(one.id);
  expect(next.deltaKey).toBe(one.deltaKey);
  expect(entry({ fields: [{ name: 'title', from: 'a', to: 'c' }] }).deltaKey).not.toBe(one.deltaKey);
});
