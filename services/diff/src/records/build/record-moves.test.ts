import { describe, expect, it } from '@jest/globals';
import { Landmark } from '@tidemark/contracts/page/v1/blocks';
import type { SitePages } from '../../../test/fixtures/site-pages.ts';
import { A, B, missing, page, pageAbout, projectWith, site, siteWithout } from '../../../test/fixtures/small-site.ts';

describe('buildRecord for a moved page', () => {
  it('reports one modified page when its content appears under a new URL', async () => {
    const project = await projectWith();
    const moved = { ...siteWithout(B), [`${A}bees`]: pageAbout('bees') };
    const { head, entries, aliases } = await project.run(moved, { verifiable: { [B]: missing } });
    expect(head).toMatchObject({ counts: { modified: 1, same: 3, added: 0, removed: 0 }, moved: 1 });
    expect(entries).toMatchObject([
      { kind: 'modified', movedFrom: B, url: `${A}bees`, fields: [{ name: 'url', from: B }] },
    ]);
    expect(aliases).toEqual([{ fromKey: 'a.example/b', toKey: 'a.example/bees', reason: 'moved', runId: 'run_2' }]);
  });

  it('accepts half of the content when the old URL redirects to the new one', async () => {
    const project = await projectWith();
    const edited = page(...(pageAbout('bees').blocks ?? []).slice(0, 10), 'and a new ending that was not there before');
    const { head, entries } = await project.run({
      ...siteWithout(B),
      [`${A}bees`]: { ...edited, reading: { requestedKeys: ['a.example/b'] } },
    });
    expect(head).toMatchObject({ counts: { modified: 1, same: 3 }, moved: 1 });
    expect(entries[0]?.blocks.map(({ after }) => after)).toContain('and a new ending that was not there before');
  });

  it('reports a move when verification is redirected to the new URL', async () => {
    const redirected = { ...pageAbout('bees'), reading: { pageKey: 'a.example/bees', url: `${A}bees` } };
    const pages = { ...siteWithout(B), [`${A}bees`]: pageAbout('bees') };
    const { head, aliases } = await (await projectWith()).run(pages, { verifiable: { [B]: redirected } });
    expect(head).toMatchObject({ counts: { modified: 1, same: 3, added: 0, withheld: 0 }, moved: 1 });
    expect(aliases).toMatchObject([{ fromKey: 'a.example/b', toKey: 'a.example/bees', reason: 'redirect' }]);
  });

  it('reports redirected_elsewhere when verification is redirected to another page', async () => {
    const redirected = { ...pageAbout('home'), reading: { pageKey: 'a.example', url: A } };
    const { entries } = await (await projectWith()).run(siteWithout(B), { verifiable: { [B]: redirected } });
    expect(entries).toMatchObject([{ kind: 'unverified', url: B, reason: 'redirected_elsewhere' }]);
  });

  it('reports no move when the old URL redirects to the front page', async () => {
    const home = { ...pageAbout('home'), reading: { requestedKeys: ['a.example/b'] } };
    const { entries } = await (await projectWith()).run({ ...siteWithout(B), [A]: home });
    expect(entries).toMatchObject([{ kind: 'unverified', url: B, reason: 'redirected_elsewhere' }]);
  });

  it('reports no move when the old URL redirects to another host', async () => {
    const other = { ...pageAbout('bees'), reading: { requestedKeys: ['a.example/b'] } };
    const { entries } = await (await projectWith()).run({ ...siteWithout(B), 'http://b.example/bees': other });
    expect(entries.map(({ kind, url, reason }) => [kind, url, reason])).toEqual([
      ['unverified', B, 'redirected_elsewhere'],
      ['added', 'http://b.example/bees', undefined],
    ]);
  });

  it('reports same when the old URL redirects to a page that had the same content before', async () => {
    const project = await projectWith({ ...site, [`${A}bees`]: pageAbout('bees') });
    const { head, aliases } = await project.run({
      ...siteWithout(B),
      [`${A}bees`]: { ...pageAbout('bees'), reading: { requestedKeys: ['a.example/b'] } },
    });
    expect(head.counts).toMatchObject({ same: 5 });
    expect(aliases).toMatchObject([{ fromKey: 'a.example/b', toKey: 'a.example/bees', reason: 'redirect' }]);
  });
});

describe('buildRecord with equal changes on many pages', () => {
  const footer = (text: string) => ({ text, landmark: Landmark.LANDMARK_FOOTER, anchor: 'footer>p' });
  const pages = (year: string, edited = -1): SitePages =>
    Object.fromEntries(
      Array.from({ length: 10 }, (_, at) => [
        `http://a.example/p/${at}`,
        page(
          `Subject number ${at}`,
          at === edited ? 'a text of its own that is new' : 'an old text',
          footer(`Copyright ${year} by us`),
        ),
      ]),
    );

  it('writes one folded entry and reports the other pages as same', async () => {
    const { head, entries } = await (await projectWith(pages('2024'))).run(pages('2025', 4));
    expect(head.counts).toMatchObject({ modified: 1, same: 9 });
    expect(entries.map(({ kind, template }) => [kind, template?.pages])).toEqual([
      ['modified', undefined],
      ['template', 10],
    ]);
    const [own, template] = entries;
    expect(own?.templateRefs).toEqual([template?.id]);
    expect(own?.blocks.map(({ landmark }) => landmark)).not.toContain('footer');
    expect(template?.blocks).toMatchObject([{ landmark: 'footer', after: 'Copyright 2025 by us' }]);
  });

  it('ignores a boilerplate change on a single page', async () => {
    const one = (year: string): SitePages => ({
      ...site,
      [B]: page(...(pageAbout('bees').blocks ?? []), footer(`Copyright ${year}`)),
    });
    const { head, entries } = await (await projectWith(one('2024'))).run(one('2025'));
    expect(head.counts).toMatchObject({ modified: 0, same: 4 });
    expect(entries).toEqual([]);
  });

  it('writes an entry per page when the project sets template_changes to each', async () => {
    const notice = (text: string): SitePages =>
      Object.fromEntries(Object.entries(pages('2024')).map(([url, { blocks = [] }]) => [url, page(...blocks, text)]));
    const project = await projectWith(notice('closed on Mondays'));
    const { head, entries } = await project.run(notice('closed on Sundays'), { request: { templateChanges: 'each' } });
    expect(head.counts).toMatchObject({ modified: 10 });
    expect(entries).toHaveLength(10);
  });

  it('writes one folded entry marked as redesign when the site was rewritten', async () => {
    const rewritten = (how: string): SitePages =>
      Object.fromEntries(
        Array.from({ length: 10 }, (_, at) => [
          `http://a.example/p/${at}`,
          page(...Array.from({ length: 6 }, (_, line) => `${how}${at} ${how}${line} ${how} words`)),
        ]),
      );
    const { head, entries } = await (await projectWith(rewritten('old'))).run(rewritten('new'));
    expect(head.counts).toMatchObject({ modified: 10 });
    expect(entries).toMatchObject([{ kind: 'template', template: { pages: 10, isRedesign: true } }]);
  });
});
