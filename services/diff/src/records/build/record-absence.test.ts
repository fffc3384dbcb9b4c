import { describe, expect, it } from '@jest/globals';
import { MemoryProject } from '../../../test/fixtures/memory-project.ts';
import type { SitePage, SitePages } from '../../../test/fixtures/site-pages.ts';
import {
  A,
  B,
  C,
  missing,
  page,
  pageAbout,
  projectWith,
  refused,
  site,
  siteWithout,
} from '../../../test/fixtures/small-site.ts';
import type { RecordedRun } from '../../coverage/run-coverage.ts';

describe('buildRecord for a missing page', () => {
  it('reports the page as removed when verification confirms it', async () => {
    const { entries, verified } = await (await projectWith()).run(
      { ...siteWithout(B), [B]: missing },
      { verifiable: { [B]: missing } },
    );
    expect(verified).toEqual(['a.example/b']);
    expect(entries).toMatchObject([{ kind: 'removed', url: B, title: `Title of ${B}`, section: `Title of ${B}` }]);
  });

  it('withholds the page when it may not be verified and reports it as removed when the next run agrees', async () => {
    const project = await projectWith();
    const limited = { run: { stop: 'page_limit' } } as const;
    const { head, entries, verified } = await project.run({ ...siteWithout(B), [B]: missing }, limited);
    expect(entries).toMatchObject([{ kind: 'withheld', reason: 'seen_gone_once' }]);
    expect(head.counts).toMatchObject({ removed: 0, withheld: 1 });
    expect(verified).toEqual([]);
    expect((await project.run({ ...siteWithout(B), [B]: missing }, limited)).entries).toMatchObject([
      { kind: 'removed' },
    ]);
    expect((await project.run({ ...siteWithout(B), [B]: missing })).entries).toEqual([]);
  });

  it('withholds the page when verification is refused and reports it as removed when the next run agrees', async () => {
    const project = await projectWith();
    const { entries } = await project.run({ ...siteWithout(B), [B]: missing }, { verifiable: { [B]: refused } });
    expect(entries).toMatchObject([
      { kind: 'withheld', reason: 'seen_gone_once', verdicts: ['ok', 'blocked: NOT_FOUND'] },
    ]);
    expect((await project.run({ ...siteWithout(B), [B]: missing })).entries).toMatchObject([{ kind: 'removed' }]);
  });

  it('reports the page as added when it returns', async () => {
    const project = await projectWith();
    await project.run({ ...siteWithout(B), [B]: missing }, { verifiable: { [B]: missing } });
    expect((await project.run(site)).entries).toMatchObject([{ kind: 'added', url: B, returned: true }]);
  });
});

describe('buildRecord for a page the run did not reach', () => {
  it('reports the page as same and orphaned when verification can read it', async () => {
    const { head, entries } = await (await projectWith()).run(siteWithout(B), {
      verifiable: { [B]: pageAbout('bees') },
    });
    expect(head.counts).toMatchObject({ same: 4 });
    expect(entries).toMatchObject([{ kind: 'same', url: B, links: 'orphaned' }]);
  });

  it('reports the page as orphaned once and compares it with the verified reading from then on', async () => {
    const project = await projectWith();
    await project.run(siteWithout(B), { verifiable: { [B]: pageAbout('wasps') } });
    const { head, entries } = await project.run(siteWithout(B), { verifiable: { [B]: pageAbout('wasps') } });
    expect(head.counts).toMatchObject({ same: 4, modified: 0 });
    expect(entries).toEqual([]);
  });

  it('does not report the page as orphaned when coverage is incomplete', async () => {
    const project = await projectWith();
    const incomplete = { verifiable: { [B]: pageAbout('bees') }, run: { isSitemapUnreadable: true } };
    expect((await project.run(siteWithout(B), incomplete)).entries).toEqual([]);
    expect((await project.run(siteWithout(B), { verifiable: { [B]: pageAbout('bees') } })).entries).toMatchObject([
      { kind: 'same', url: B, links: 'orphaned' },
    ]);
  });

  it('withholds the page when the run was cut short', async () => {
    const runs: readonly Partial<RecordedRun>[] = [
      { stop: 'page_limit' },
      { stop: 'credit_limit' },
      { status: 'cancelled' },
      { status: 'error', stop: undefined },
    ];
    for (const run of runs) {
      const { head, verified } = await (await projectWith()).run({ [A]: pageAbout('home') }, { run });
      expect(head.counts).toMatchObject({ same: 1, withheld: 3, removed: 0 });
      expect(verified).toEqual([]);
    }
  });

  it('counts a page outside the current scope as outOfScope and writes no entry', async () => {
    const project = await projectWith();
    const scope = { admits: (url: string) => url !== B, admittedByBaseline: () => true };
    const { head, entries } = await project.run(siteWithout(B), { run: { scopeHash: 'narrow' }, ports: { scope } });
    expect(head).toMatchObject({
      counts: { same: 3, withheld: 0 },
      coverage: { outOfScope: 1, reasons: ['scope_changed'] },
    });
    expect(entries).toEqual([]);
  });
});

describe('buildRecord for a new page', () => {
  it('reports the page as added when the baseline is complete', async () => {
    const { entries } = await (await projectWith(siteWithout(B))).run(site);
    expect(entries).toMatchObject([{ kind: 'added', url: B }]);
    expect(entries[0]?.wordsAdded).toBeGreaterThan(50);
  });

  it('withholds the page when the baseline is incomplete unless the page is newer than the baseline', async () => {
    const project = new MemoryProject();
    await project.run(siteWithout(B, C), { run: { stop: 'page_limit' } });
    const young: SitePage = { ...pageAbout('cats'), reading: { lastModifiedMs: 9_999 } };
    const { entries } = await project.run({ ...site, [C]: young });
    expect(entries.map(({ url, kind, reason }) => [url, kind, reason])).toEqual([
      [B, 'withheld', 'baseline_incomplete'],
      [C, 'added', undefined],
    ]);
  });
});

describe('buildRecord for a failing site', () => {
  const manyPages: SitePages = Object.fromEntries(
    Array.from({ length: 20 }, (_, at) => [`http://a.example/p/${at}`, pageAbout(`subject${at}`)]),
  );
  const all = (as: SitePage): SitePages => Object.fromEntries(Object.keys(manyPages).map((url) => [url, as]));

  it('withholds all removals until the next run agrees when every page responds with 404', async () => {
    const project = await projectWith({ ...manyPages, [A]: pageAbout('home') });
    const first = await project.run({ ...all(missing), [A]: pageAbout('home') }, { verifiable: all(missing) });
    expect(first.head).toMatchObject({ counts: { removed: 0, withheld: 20 }, coverage: { reasons: ['mass_removal'] } });
    expect(first.verified).toEqual([]);
    const second = await project.run({ ...all(missing), [A]: pageAbout('home') });
    expect(second.head.counts).toMatchObject({ removed: 20, withheld: 0 });
  });

  it('reports pages as unverified instead of modified when the site serves one generic page', async () => {
    const project = await projectWith({ ...manyPages, [A]: pageAbout('home') });
    const sorry: SitePage = { ...page('We are sorry, something went wrong'), reading: { title: 'Sorry' } };
    const { head } = await project.run({ ...all(sorry), [A]: pageAbout('home') });
    expect(head).toMatchObject({
      counts: { modified: 0, removed: 0, unverified: 20, same: 1 },
      coverage: { verdict: false, reasons: ['host_fingerprint_changed'] },
    });
    expect((await project.run({ ...manyPages, [A]: pageAbout('home') })).head.counts).toMatchObject({ same: 21 });
  });

  it('withholds removals when a third of the pages is refused', async () => {
    const project = await projectWith(manyPages);
    const third = Object.keys(manyPages).filter((_, at) => at % 3 === 0);
    const some: SitePages = Object.fromEntries(third.map((url) => [url, refused]));
    const { head } = await project.run(
      { ...manyPages, ...some, 'http://a.example/p/1': missing },
      { verifiable: all(missing) },
    );
    expect(head).toMatchObject({
      counts: { removed: 0, withheld: 1, unverified: 7 },
      coverage: { reasons: ['blocked_share'] },
    });
  });
});

describe('buildRecord for link changes', () => {
  it('reports pages whose last link disappeared or first link appeared', async () => {
    const unlinked = { ...pageAbout('bees'), reading: { inLinks: 0 } };
    const project = await projectWith({ ...site, [C]: { ...pageAbout('cats'), reading: { inLinks: 0 } } });
    const { entries } = await project.run({ ...site, [B]: unlinked });
    expect(entries.map(({ url, links, kind }) => [url, links, kind])).toEqual([
      [B, 'orphaned', 'same'],
      [C, 'linked', 'same'],
    ]);
  });

  it('does not report orphaned pages when coverage is incomplete', async () => {
    const project = await projectWith();
    const { entries } = await project.run(
      { ...site, [B]: { ...pageAbout('bees'), reading: { inLinks: 0 } } },
      { run: { stop: 'page_limit' } },
    );
    expect(entries).toEqual([]);
  });
});
