import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { AppError } from '@tidemark/errors';
import fc from 'fast-check';
import type { DocumentStore } from '../documents/document-store.ts';
import { writeEntries } from '../documents/entry-document.ts';
import { parseRows } from '../documents/row-document.ts';
import { type ChangeSet, documentsOf, type SnapshotDiff } from '../domain/snapshot.ts';
import type { SiteFile } from '../domain/tree.ts';
import { diffTrees, type Tree } from './diff-trees.ts';

/** A document store in memory. */
function inMemory(): DocumentStore {
  const kept = new Map<string, Buffer>();
  return {
    async put(bytes) {
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      kept.set(sha256, Buffer.from(bytes));
      return { sha256, bytes: bytes.length };
    },
    async get(sha256) {
      const found = kept.get(sha256);
      if (found === undefined) throw new AppError('not_found', 'blob not found');
      return found;
    },
  };
}

type Listed = readonly (readonly [url: string, lastmod: string])[];
const NO_FILE: SiteFile = {
  url: '',
  parent: '',
  foundBy: 'index',
  kind: 'sitemap',
  verdict: 'read',
  httpStatus: 200,
  bytes: 1,
  urls: 0,

  alternates: 0,
  foreign: 0,
  section: '/',
  lastmodFrom: '',
  lastmodTo: '',
  error: '',
  entries: '',
};

async function treeOf(documents: DocumentStore, id: string, files: Readonly<Record<string, Listed>>): Promise<Tree> {
  const stored = Object.entries(files).map(async ([url, listed]): Promise<SiteFile> => {
    if (listed.length === 0) return { ...NO_FILE, url };
    const entries = listed.map(([page, lastmod]) => ({ url: page, lastmod, changefreq: '' }));
    const { sha256 } = await documents.put(Buffer.from(writeEntries(entries)));
    return { ...NO_FILE, url, urls: listed.length, entries: sha256 };
  });
  return { snapshot: { id, complete: true, subdomains: false }, files: await Promise.all(stored) };
}

async function urlsOf(documents: DocumentStore, diff: SnapshotDiff, set: ChangeSet): Promise<string[]> {
  const rows = await Promise.all(documentsOf(diff, set).map(async (name) => parseRows(await documents.get(name))));
  return rows.flat().map(({ url }) => url);
}

/** Reference implementation: compares all entries in memory. */
function expectedDiff(before: Readonly<Record<string, Listed>>, after: Readonly<Record<string, Listed>>) {
  const dated = (files: typeof before) => {
    const found = new Map<string, string>();
    // Entry documents are sorted, so of two dates of one URL in a file the lesser comes first.
    for (const listed of Object.values(files))
      for (const [url, date] of [...listed].sort((a, b) => (a.join('\t') < b.join('\t') ? -1 : 1)))
        if (!found.has(url)) found.set(url, date);
    return found;
  };
  const [old, now] = [dated(before), dated(after)];
  return {
    added: [...now.keys()].filter((url) => !old.has(url)).sort(),
    removed: [...old.keys()].filter((url) => !now.has(url)).sort(),
    updated: [...now]
      .filter(([url, date]) => date && old.get(url) && old.get(url) !== date)
      .map(([url]) => url)
      .sort(),
  };
}

describe('diffTrees', () => {
  it('returns added, removed and updated URLs; a URL that moved to another file is unchanged', async () => {
    const documents = inMemory();
    const jan = '2026-01-01';
    const before = await treeOf(documents, 'one', {
      '/a': [
        ['1', jan],
        ['2', jan],
        ['4', ''],
      ],
      '/b': [['3', jan]],
    });
    const after = await treeOf(documents, 'two', {
      '/a': [
        ['2', '2026-02-01'],
        ['3', '2026-01-01T00:00:00Z'],
        ['4', jan],
      ],
      '/c': [['5', '']],
    });
    const diff = await diffTrees(documents, before, after);
    expect(diff).toMatchObject({
      beforeId: 'one',
      isVerdict: true,
      added: 1,
      removed: 1,
      updated: 1,
      withheld: undefined,
    });
    expect([diff.filesAdded, diff.filesRemoved, diff.filesChanged]).toEqual([['/c'], ['/b'], ['/a']]);
    expect(await urlsOf(documents, diff, 'added')).toEqual(['5']);
    expect(await urlsOf(documents, diff, 'removed')).toEqual(['1']);
    expect(await urlsOf(documents, diff, 'updated')).toEqual(['2']);
  });

  it('returns the same changes as a comparison entry by entry, for generated trees', async () => {
    const listed = fc.array(
      fc.tuple(fc.constantFrom('1', '2', '3', '4'), fc.constantFrom('', '2026-01-01', '2026-02-01')),
    );
    const tree = fc.dictionary(fc.constantFrom('/a', '/b', '/c'), listed, { noNullPrototype: true });
    await fc.assert(
      fc.asyncProperty(tree, tree, async (one, other) => {
        const documents = inMemory();
        const [a, b] = [await treeOf(documents, 'a', one), await treeOf(documents, 'b', other)];
        const diff = await diffTrees(documents, a, b);
        const sets = { added: [''], removed: [''], updated: [''] };
        for (const set of ['added', 'removed', 'updated'] as const) {
          sets[set] = (await urlsOf(documents, diff, set)).sort();
          expect(diff[set]).toBe(sets[set].length);
        }
        expect(sets).toEqual(expectedDiff(one, other));
      }),
    );
  });

  it('returns no verdict if a tree is incomplete or the trees differ in scope', async () => {
    const documents = inMemory();
    const before = await treeOf(documents, 'one', { '/a': [['1', '']] });
    const after = await treeOf(documents, 'two', { '/a': [['2', '']] });
    const verdict = async (overrides: Partial<Tree['snapshot']>) =>
      (await diffTrees(documents, before, { ...after, snapshot: { ...after.snapshot, ...overrides } })).isVerdict;
    expect([await verdict({}), await verdict({ complete: false }), await verdict({ subdomains: true })]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('withholds the comparison of URLs if the trees are too large, and still compares their files', async () => {
    const documents = inMemory();
    const before = await treeOf(documents, 'one', { '/a': [['1', '']] });
    const after = await treeOf(documents, 'two', { '/a': [['2', '']] });
    const huge = { ...after, files: after.files.map((file) => ({ ...file, urls: 5_000_000 })) };
    expect(await diffTrees(documents, before, huge)).toMatchObject({
      added: 0,
      isVerdict: false,
      filesChanged: ['/a'],
      documents: [],
      withheld: expect.stringContaining('5000000'),
    });
  });
});
