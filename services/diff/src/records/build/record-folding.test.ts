import { describe, expect, it } from '@jest/globals';
import { Landmark } from '@tidemark/contracts/page/v1/blocks';
import { type BuiltRecord, MemoryProject } from '../../../test/fixtures/memory-project.ts';
import type { BlockSpec, SitePage, SitePages } from '../../../test/fixtures/site-pages.ts';

const footer = (text: string): BlockSpec => ({ text, landmark: Landmark.LANDMARK_FOOTER, anchor: 'footer>p' });
const url = (at: number): string => `http://a.example/p/${at}`;
const pagesOf = (count: number, pageAt: (at: number) => SitePage): SitePages =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [url(at), pageAt(at)]));

async function record(before: SitePages, after: SitePages): Promise<BuiltRecord> {
  const project = new MemoryProject();
  await project.run(before);
  return project.run(after);
}

describe('folding of equal replacements on three or more pages', () => {
  const manuals = (version: string): SitePages =>
    pagesOf(5, (at) => ({
      blocks: [`Subject number ${at}`, ...(at < 3 ? [`Chapter ${at} is about release ${version} alone`] : [])],
    }));

  it("writes one folded entry with the first page's text", async () => {
    const { head, entries } = await record(manuals('9.4.1'), manuals('9.4.2'));
    expect(head.counts).toMatchObject({ modified: 0, same: 5 });
    expect(entries).toMatchObject([
      {
        kind: 'template',
        template: { pages: 3, urls: [url(0), url(1), url(2)] },
        wordsAdded: 1,
        wordsRemoved: 1,
        blocks: [{ before: 'Chapter 0 is about release 9.4.1 alone', after: 'Chapter 0 is about release 9.4.2 alone' }],
      },
    ]);
  });

  it('keeps page entries when only two pages have the edit', async () => {
    const two = (version: string): SitePages => ({ ...manuals(version), [url(2)]: { blocks: ['Subject number 2'] } });
    const { head, entries } = await record(two('9.4.1'), two('9.4.2'));
    expect(head.counts).toMatchObject({ modified: 2, same: 3 });
    expect(entries.map(({ kind }) => kind)).toEqual(['modified', 'modified']);
  });

  it('keeps a page with further changes modified and refers to the folded entry', async () => {
    const after: SitePages = {
      ...manuals('9.4.2'),
      [url(1)]: { blocks: ['Subject number 1, and something new of it', 'Chapter 1 is about release 9.4.2 alone'] },
    };
    const { head, entries } = await record(manuals('9.4.1'), after);
    expect(head.counts).toMatchObject({ modified: 1, same: 4 });
    const [own, statement] = entries;
    expect(own).toMatchObject({
      kind: 'modified',
      url: url(1),
      blocks: [{ after: 'Subject number 1, and something new of it' }],
    });
    expect(own?.templateRefs).toEqual([statement?.id]);
    expect(statement?.template?.pages).toBe(3);
  });
});

describe('folding of boilerplate edits', () => {
  const site = (version: string, withContent: (at: number) => boolean): SitePages =>
    pagesOf(8, (at) => ({
      blocks: [
        withContent(at) ? `Contract ${at} run under law ${version} of the land` : `Subject number ${at}`,
        footer(`By the terms of law ${version}`),
      ],
    }));

  it('keeps the same edit in the content of a single page as its own entry', async () => {
    const one = (at: number): boolean => at === 4;
    const { head, entries } = await record(site('12.4.1', one), site('12.4.2', one));
    expect(head.counts).toMatchObject({ modified: 1, same: 7 });
    expect(entries).toMatchObject([
      { kind: 'modified', url: url(4), blocks: [{ landmark: 'main' }] },
      { kind: 'template', template: { pages: 8 }, blocks: [{ landmark: 'footer' }] },
    ]);
  });

  it('joins the same content edit of many pages and lists these pages first', async () => {
    const some = (at: number): boolean => at >= 5;
    const { head, entries } = await record(site('12.4.1', some), site('12.4.2', some));
    expect(head.counts).toMatchObject({ modified: 0, same: 8 });
    expect(entries).toMatchObject([{ kind: 'template', blocks: [{ landmark: 'footer' }, { landmark: 'main' }] }]);
    expect(entries[0]?.template?.urls.slice(0, 4)).toEqual([url(5), url(6), url(7), url(0)]);
  });
});

describe('metadata changes', () => {
  const plain: SitePage = { blocks: ['A text that stays as it is'], head: { title: 'One', 'og:image': 'old.png' } };
  const shared: SitePage = {
    ...plain,
    head: { title: 'One', 'og:image': 'new.png', 'og:title': 'One!', 'json-ld': 'WebPage' },
  };

  it('do not make a page modified', async () => {
    const { head, entries } = await record({ [url(0)]: plain }, { [url(0)]: shared });
    expect(head.counts).toMatchObject({ modified: 0, same: 1, fields: 0 });
    expect(entries).toEqual([]);
  });

  it('are listed with other changes of the page', async () => {
    const after: SitePage = { ...shared, head: { ...shared.head, title: 'Two' } };
    const { head, entries } = await record({ [url(0)]: plain }, { [url(0)]: after });
    expect(head.counts).toMatchObject({ modified: 1, fields: 4 });
    expect(entries[0]?.fields.map(({ name }) => name)).toEqual(['title', 'og:image', 'og:title', 'json-ld']);
  });

  it('create no folded entry alone and join one of the same pages', async () => {
    const all = (page: SitePage): SitePages => pagesOf(6, (at) => ({ ...page, blocks: [`Subject number ${at}`] }));
    expect((await record(all(plain), all(shared))).entries).toEqual([]);
    const titled: SitePage = { ...shared, head: { ...shared.head, title: 'Two' } };
    const { entries } = await record(all(plain), all(titled));
    expect(entries.map(({ kind, fields }) => [kind, fields.length])).toEqual([['template', 4]]);
  });

  it.each(['title', 'description', 'canonical', 'robots', 'hreflang', 'h1'])(
    'make a page modified when the field is %s',
    async (name) => {
      const withValue = (value: string): SitePages => ({ [url(0)]: { ...plain, head: { [name]: value } } });
      const { entries } = await record(withValue('a'), withValue('b'));
      expect(entries).toMatchObject([{ kind: 'modified', fields: [{ name, from: 'a', to: 'b' }] }]);
    },
  );
});

describe('a page is reported as same', () => {
  const ages = (hours: number, views: string): SitePage => ({
    blocks: [
      'A text that stays as it is',
      { text: `Posted ${hours} hours ago`, mask: 'Posted {age}' },
      { text: `Read by all: ${views} views`, mask: 'Read by all: {count}' },
    ],
  });

  it('when only ages and counters differ, which are counted as volatile blocks', async () => {
    const { head, entries } = await record({ [url(0)]: ages(3, '4,099') }, { [url(0)]: ages(4, '4,116') });
    expect(head.counts).toMatchObject({ modified: 0, same: 1, volatileBlocks: 2 });
    expect(entries).toEqual([]);
  });

  it('when apart from volatile blocks only the order differs', async () => {
    const lines = Array.from({ length: 6 }, (_, at) => `line ${at} of a list without a rank`);
    const before = { blocks: [...(ages(3, '4,099').blocks ?? []), ...lines] };
    const after = { blocks: [...(ages(4, '4,116').blocks ?? []), ...lines.slice(1), lines[0] ?? ''] };
    const { head, entries } = await record({ [url(0)]: before }, { [url(0)]: after });
    expect(head.counts).toMatchObject({ modified: 0, same: 1, volatileBlocks: 2 });
    expect(entries).toEqual([]);
  });

  it('when only boilerplate differs, even if content and boilerplate share words', async () => {
    const menu = (text: string): BlockSpec => ({ text, landmark: Landmark.LANDMARK_NAV, anchor: 'nav>a' });
    const before: SitePage = { blocks: [menu('About us'), menu('Prices'), 'About us'] };
    const after: SitePage = { blocks: ['About us', menu('Contact')] };
    const { head, entries } = await record({ [url(0)]: before }, { [url(0)]: after });
    expect(head.counts).toMatchObject({ modified: 0, same: 1 });
    expect(entries).toEqual([]);
  });
});
