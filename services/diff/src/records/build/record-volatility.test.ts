import { describe, expect, it } from '@jest/globals';
import { BlockKind, Landmark } from '@tidemark/contracts/page/v1/blocks';
import { MemoryProject } from '../../../test/fixtures/memory-project.ts';
import type { BlockSpec, SitePages } from '../../../test/fixtures/site-pages.ts';
import type { Override } from '../../volatility/ignored-reason.ts';

/** Three pages with equal structure and a block that differs from run to run. */
const pagesWith = (block: BlockSpec): SitePages =>
  Object.fromEntries(
    ['a', 'b', 'c'].map((name) => [
      `http://a.example/p/${name}`,
      {
        blocks: [
          `A text about ${name} that stays`,
          { ...block, text: `${name}: ${block.text}`, ...(block.mask ? { mask: `${name}: ${block.mask}` } : {}) },
        ],
      },
    ]),
  );

/** Returns the number of modified pages of each record after the first. */
async function modifiedPages(runs: readonly SitePages[]): Promise<number[]> {
  const project = new MemoryProject();
  const counts: number[] = [];
  // Otherwise equal edits would be folded.
  const request = { templateChanges: 'each' } as const;
  for (const pages of runs) counts.push((await project.run(pages, { request })).head.counts.modified);
  return counts.slice(1);
}

const updated = (day: number): SitePages => pagesWith({ text: `as of 2026-01-0${day}`, mask: 'as of {date}' });

describe('buildRecord with a changing date', () => {
  it('ignores the date from its third change on and counts the block as volatile', async () => {
    expect(await modifiedPages([1, 2, 3, 4, 5].map(updated))).toEqual([3, 3, 0, 0]);
    const project = new MemoryProject();
    for (const count of [1, 2, 3]) await project.run(updated(count));
    const { head, entries } = await project.run(updated(4));
    expect(head.counts).toMatchObject({ same: 3, volatileBlocks: 3 });
    expect(entries).toEqual([]);
  });

  it('reports the date again after it was stable', async () => {
    const stable = Array.from({ length: 6 }, () => updated(4));
    expect(await modifiedPages([updated(1), updated(2), updated(3), ...stable, updated(9)])).toEqual([
      3, 3, 0, 0, 0, 0, 0, 0, 3,
    ]);
  });

  it('reports an edit next to the volatile date and lists both', async () => {
    const project = new MemoryProject();
    for (const count of [1, 2, 3, 4]) await project.run(updated(count));
    const edited = updated(5);
    const [first = ''] = Object.keys(edited);
    const { entries } = await project.run({
      ...edited,
      [first]: { blocks: ['A text about a that changed a lot', ...(edited[first]?.blocks?.slice(1) ?? [])] },
    });
    expect(entries).toHaveLength(1);
    expect(entries[0]?.blocks.map(({ volatile }) => volatile).toSorted()).toEqual([false, true]);
    expect(entries[0]).toMatchObject({ kind: 'modified', url: first, volatile: false });
  });
});

describe('buildRecord with a list outside the main part that changes on every visit', () => {
  it('modifies no page and counts the block as volatile from its third change on', async () => {
    const related = (at: number): SitePages =>
      pagesWith({
        text: `related ${'xyz'.repeat(at)} stories`,
        landmark: Landmark.LANDMARK_ASIDE,
        anchor: 'aside>ul>li',
        section: 'Related',
      });
    const project = new MemoryProject();
    const counts: (readonly number[])[] = [];
    for (const at of [1, 2, 3, 4, 5, 6]) {
      const { modified, volatileBlocks } = (await project.run(related(at))).head.counts;
      counts.push([modified, volatileBlocks]);
    }
    expect(counts.map(([modified]) => modified)).toEqual([0, 0, 0, 0, 0, 0]);
    expect(counts.map(([, volatileBlocks = 0]) => volatileBlocks > 0)).toEqual([false, false, false, true, true, true]);
  });
});

describe('buildRecord never learns as volatile', () => {
  it.each([
    ['a price', (at: number) => pagesWith({ text: `$19 on 2026-01-0${at}`, mask: '$19 on {date}' })],
    [
      'a heading',
      (at: number) =>
        pagesWith({ text: `News of 2026-01-0${at}`, mask: 'News of {date}', kind: BlockKind.BLOCK_KIND_HEADING }),
    ],
    [
      'the target of a link in the main part',
      (at: number) => pagesWith({ text: `of 2026-01-0${at}`, mask: 'of {date}', links: [`http://a.example/${at}`] }),
    ],
    ['an amount without a currency', (at: number) => pagesWith({ text: `${10 + at}.99` })],
    ['a headline by its class', (at: number) => pagesWith({ text: `${WORDS[at]} wins`, anchor: 'main>div.headline' })],
  ])('%s', async (_, pages) => {
    expect(await modifiedPages([1, 2, 3, 4, 5, 6, 7].map(pages))).toEqual([3, 3, 3, 3, 3, 3]);
  });
});

/** Texts without a common word. */
const WORDS = ['amber', 'birch', 'cedar', 'delta', 'ember', 'fjord', 'grove', 'heron', 'iris'];

describe('buildRecord with a block that differs on every visit', () => {
  const saying = (at: number): SitePages =>
    pagesWith({ text: `${WORDS[at]} ${WORDS[at + 1]}`, anchor: 'main>p.saying' });

  it('learns it from its third change on, although its words have nothing in common, and lists it as volatile', async () => {
    expect(await modifiedPages([1, 2, 3, 4, 5, 6].map(saying))).toEqual([3, 3, 0, 0, 0]);
    const project = new MemoryProject();
    for (const at of [1, 2, 3, 4]) await project.run(saying(at));
    expect((await project.run(saying(5))).head.counts).toMatchObject({ modified: 0, volatileBlocks: 3 });
  });

  it('reports an added paragraph at the same place as a learned one', async () => {
    const counter = (at: number, ...more: string[]): SitePages => ({
      'http://a.example/p/a': { blocks: ['A text that stays', `Visitors so far ${1_000 + at}`, ...more] },
    });
    const project = new MemoryProject();
    const counts: number[] = [];
    for (const at of [1, 2, 3, 4, 5]) counts.push((await project.run(counter(at))).head.counts.modified);
    const { entries } = await project.run(counter(6, 'The publisher added this paragraph'));
    expect(counts.slice(1)).toEqual([1, 1, 0, 0]);
    expect(entries).toMatchObject([{ kind: 'modified', wordsAdded: 5 }]);
    expect(entries[0]?.blocks.map(({ volatile }) => volatile)).toEqual([true, false]);
  });

  it('keeps what it has learned of a block that names a price once', async () => {
    const line = (text: string): SitePages => ({
      'http://a.example/p/a': { blocks: ['A text that stays', { text, anchor: 'main>p.saying' }] },
    });
    const project = new MemoryProject();
    for (const at of [0, 1, 2, 3]) await project.run(line(`The word is ${WORDS[at]}`));
    expect((await project.run(line('The word is $12'))).head.counts.modified).toBe(1);
    expect((await project.run(line('The word is heron'))).head.counts.modified).toBe(1);
    expect((await project.run(line('The word is iris'))).head.counts).toMatchObject({ modified: 0, volatileBlocks: 1 });
  });

  it('does not learn paragraphs of which another one is edited each time', async () => {
    const clauses = (at: number): SitePages => ({
      'http://a.example/p/a': {
        blocks: WORDS.map((word, clause) => `Clause ${word} ${clause < at ? 'was reviewed' : 'is under review'}`),
      },
    });
    const project = new MemoryProject();
    const counts: number[] = [];
    for (const at of [0, 1, 2, 3, 4, 5, 6]) counts.push((await project.run(clauses(at))).head.counts.modified);
    expect(counts.slice(1)).toEqual([1, 1, 1, 1, 1, 1]);
  });

  it('learns a list of the head that rotates, and no other value of the head', async () => {
    const head = (at: number, title: string): SitePages => ({
      'http://a.example/p/a': { blocks: ['A text that stays'], head: { hreflang: `${WORDS[at]}`, title } },
    });
    const project = new MemoryProject();
    const counts: number[] = [];
    for (const at of [1, 2, 3, 4, 5]) counts.push((await project.run(head(at, 'Title'))).head.counts.modified);
    const { entries } = await project.run(head(6, 'Another title'));
    expect(counts.slice(1)).toEqual([1, 1, 0, 0]);
    expect(entries[0]?.fields.map(({ name, isVolatile = false }) => [name, isVolatile])).toEqual([
      ['title', false],
      ['hreflang', true],
    ]);
  });

  it('never learns a value of a configured field', async () => {
    const field = (at: number): SitePages => ({
      'http://a.example/p/a': { blocks: ['A text that stays'], fields: { stock: 10 + at } },
    });
    const project = new MemoryProject();
    const counts: number[] = [];
    for (const at of [1, 2, 3, 4, 5, 6]) counts.push((await project.run(field(at))).head.counts.modified);
    expect(counts.slice(1)).toEqual([1, 1, 1, 1, 1]);
  });
});

describe('learned volatility', () => {
  it('applies to one template only', async () => {
    const project = new MemoryProject();
    const elsewhere = (count: number): SitePages => ({
      'http://a.example/other/x': Object.values(updated(count))[0] ?? {},
    });
    for (const count of [1, 2, 3, 4]) await project.run({ ...updated(count), ...elsewhere(1) });
    const { entries } = await project.run({ ...updated(5), ...elsewhere(2) });
    expect(entries.map(({ url }) => url)).toEqual(['http://a.example/other/x']);
  });

  it('does not depend on the order of pages', async () => {
    const [one, two] = [new MemoryProject(), new MemoryProject()];
    for (const count of [1, 2, 3]) {
      await one.run(updated(count));
      await two.run(Object.fromEntries(Object.entries(updated(count)).toReversed()));
    }
    expect([...one.anchors]).toEqual([...two.anchors]);
    expect(one.templates).toEqual(two.templates);
  });
});

describe('ignored changes', () => {
  const saying = (at: number): BlockSpec => ({ text: `${WORDS[at]} ${WORDS[at + 1]}`, anchor: 'main>p.saying' });
  const pages = (at: number): SitePages => pagesWith(saying(at));
  /** Runs the project until the block is learnt, and returns the last record. */
  async function learnt(project: MemoryProject) {
    for (const at of [0, 1, 2]) await project.run(pages(at));
    return project.run(pages(3));
  }
  const overridden = (place: string, override: Override) => ({
    request: { templateChanges: 'each', volatileOverrides: new Map([[place, override]]) } as const,
  });

  it('are listed one by one, as many as the record counts, with both texts, the reason and its time', async () => {
    const { head, ignored } = await learnt(new MemoryProject());
    expect(ignored).toHaveLength(head.counts.volatileBlocks);
    expect(ignored).toMatchObject(
      ['a', 'b', 'c'].map((name) => ({
        id: expect.stringMatching(/^ign_[a-z2-9]{26}$/),
        url: `http://a.example/p/${name}`,
        op: expect.stringMatching(/added|removed|edited/),
        reason: 'changed_in_three_comparisons',
        comparisons: 3,
        changed: 3,
        since: '2026-01-01T00:00:00.000Z',
      })),
    );
    expect(new Set(ignored.map(({ id }) => id)).size).toBe(ignored.length);
  });

  it('state what a comparison alone ignores, and why', async () => {
    const project = new MemoryProject();
    const visits = (count: number): SitePages => pagesWith({ text: `${count} views`, mask: '{count}' });
    await project.run(visits(1_014));
    const { ignored } = await project.run(visits(2_020));
    expect(ignored.map(({ reason, before, after }) => [reason, before, after])).toEqual(
      ['a', 'b', 'c'].map((name) => ['self_updating', `${name}: 1014 views`, `${name}: 2020 views`]),
    );
  });

  it('cut long texts and state so', async () => {
    const project = new MemoryProject();
    const long = (at: number): SitePages => ({ 'http://a.example/p/a': { blocks: [`${WORDS[at]} `.repeat(2_000)] } });
    for (const at of [0, 1, 2]) await project.run(long(at));
    const { ignored } = await project.run(long(3));
    expect(ignored.map(({ truncated }) => truncated)).toContain(true);
    expect(ignored.every(({ before, after }) => `${before ?? ''}${after ?? ''}`.length <= 10_000)).toBe(true);
  });

  it('are changes of the page once the configuration requires to report their place', async () => {
    const project = new MemoryProject();
    const [first] = (await learnt(project)).ignored;
    const { head, ignored } = await project.run(pages(4), overridden(first?.place ?? '', 'report'));
    expect(head.counts).toMatchObject({ modified: 3, volatileBlocks: 0 });
    expect(ignored).toEqual([]);
    expect((await project.run(pages(5))).head.counts).toMatchObject({ modified: 0, volatileBlocks: 3 });
  });

  it('are reported so even if a selector or a counter is the reason', async () => {
    const project = new MemoryProject();
    const visits = (count: number): SitePages => pagesWith({ text: `${count} views`, mask: '{count}' });
    await project.run(visits(1));
    const { ignored } = await project.run(visits(2));
    const volatileOverrides = new Map(ignored.map(({ place }) => [place, 'report' as const]));
    const { head } = await project.run(visits(3), { request: { templateChanges: 'each', volatileOverrides } });
    expect(head.counts).toMatchObject({ modified: 3, volatileBlocks: 0 });
  });

  it('of a place that the configuration requires to ignore need no proof, and prices there are changes all the same', async () => {
    const project = new MemoryProject();
    const [{ place = '' } = {}] = (await learnt(project)).ignored;
    for (let run = 0; run < 6; run += 1) await project.run(pages(3));
    const { head, ignored } = await project.run(pages(6), overridden(place, 'ignore'));
    expect(head.counts).toMatchObject({ modified: 0, volatileBlocks: 3 });
    expect(new Set(ignored.map(({ reason }) => reason))).toEqual(new Set(['overruled']));
    const priced = pagesWith({ ...saying(7), text: 'Only $12' });
    expect((await project.run(priced, overridden(place, 'ignore'))).head.counts.modified).toBe(3);
  });

  it('of one page say nothing about a page of its template that shows the same text for the first time', async () => {
    const project = new MemoryProject();
    const stock = (...states: readonly string[]): SitePages =>
      Object.fromEntries(
        states.map((state, at) => [
          `http://a.example/p/${at}`,
          { blocks: [`About product ${WORDS[at]}`, { text: state, anchor: 'main>p.stock' }] },
        ]),
      );
    const rest = ['In stock', 'In stock', 'In stock', 'In stock'];
    for (const state of ['In stock', 'Sold out', 'In stock', 'Sold out']) await project.run(stock(state, ...rest));
    const { entries } = await project.run(stock('In stock', 'Sold out', ...rest.slice(1)));
    expect(entries.map(({ url }) => url)).toEqual(['http://a.example/p/1']);
  });
});
