import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { AppError } from '@tidemark/errors';
import fc from 'fast-check';
import type { Documents } from '../documents.ts';
import { writeEntries } from '../domain/entry-document.ts';
import { type ChangeSet, documentsOf, type SnapshotDiff } from '../domain/snapshot.ts';
import type { SiteFile } from '../domain/tree.ts';
import { parseRows } from '../row-document.ts';
import { diffTrees, type Tree } from './diff-trees.ts';

/** Documents in memory. */
function inMemory(): Documents {
  const kept = new Map<string, Buffer>();
  return {
    async put(bytes) {
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      kept.set(sha256, Buffer.from(bytes));
      return { sha256, bytes: bytes.length };
    },
    async get(sha256) {
      const found = kept.get(sha256);
      if (found === undefined) throw new AppError('not_found', 'there is no such blob');
      return found;
    },
  };
}

type Declared = readonly (readonly [url: string, lastmod: string])[];
const NO_FILE: SiteFile = {
  ...{ url: '', parent: '', foundBy: 'index', kind: 'sitemap', verdict: 'read', httpStatus: 200, bytes: 1, urls: 0 },
  ...{ alternates: 0, foreign: 0, section: '/', lastmodFrom: '', lastmodTo: '', error: '', entries: '' },
};

async function treeOf(documents: Documents, id: string, files: Readonly<Record<string, Declared>>): Promise<Tree> {
  const made = Object.entries(files).map(async ([url, declared]): Promise<SiteFile> => {
    if (declared.length === 0) return { ...NO_FILE, url };
    const entries = declared.map(([address, lastmod]) => ({ url: address, lastmod, changefreq: '' }));
    const { sha256 } = await documents.put(Buffer.from(writeEntries(entries)));
    return { ...NO_FILE, url, urls: declared.length, entries: sha256 };
  });
  return { snapshot: { id, complete: true, subdomains: false }, files: await Promise.all(made) };
}

async function told(documents: Documents, diff: SnapshotDiff, set: ChangeSet): Promise<string[]> {
  const rows = await Promise.all(documentsOf(diff, set).map(async (name) => parseRows(await documents.get(name))));
  return rows.flat().map(({ url }) => url);
}

/** The same, as plainly as it can be said. */
function plainly(before: Readonly<Record<string, Declared>>, after: Readonly<Record<string, Declared>>) {
  const dated = (files: typeof before) => {
    const found = new Map<string, string>();
    // A file's document is sorted, so that of two dates of an address the lesser comes first.
    for (const declared of Object.values(files))
      for (const [url, date] of [...declared].sort((a, b) => (a.join('\t') < b.join('\t') ? -1 : 1)))
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

describe('the difference of two trees', () => {
  it('is what came, what went and what was dated anew; an address that moved to another file is in both', async () => {
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
    expect(await told(documents, diff, 'added')).toEqual(['5']);
    expect(await told(documents, diff, 'removed')).toEqual(['1']);
    expect(await told(documents, diff, 'updated')).toEqual(['2']);
  });

  it('is what comparing them entry by entry finds, whichever trees they are', async () => {
    const declared = fc.array(
      fc.tuple(fc.constantFrom('1', '2', '3', '4'), fc.constantFrom('', '2026-01-01', '2026-02-01')),
    );
    const tree = fc.dictionary(fc.constantFrom('/a', '/b', '/c'), declared, { noNullPrototype: true });
    await fc.assert(
      fc.asyncProperty(tree, tree, async (one, other) => {
        const documents = inMemory();
        const [a, b] = [await treeOf(documents, 'a', one), await treeOf(documents, 'b', other)];
        const diff = await diffTrees(documents, a, b);
        const sets = { added: [''], removed: [''], updated: [''] };
        for (const set of ['added', 'removed', 'updated'] as const) {
          sets[set] = (await told(documents, diff, set)).sort();
          expect(diff[set]).toBe(sets[set].length);
        }
        expect(sets).toEqual(plainly(one, other));
      }),
    );
  });

  it('is no verdict where a tree was not read whole, or reaches further than the other', async () => {
    const documents = inMemory();
    const before = await treeOf(documents, 'one', { '/a': [['1', '']] });
    const after = await treeOf(documents, 'two', { '/a': [['2', '']] });
    const verdict = async (more: Partial<Tree['snapshot']>) =>
      (await diffTrees(documents, before, { ...after, snapshot: { ...after.snapshot, ...more } })).isVerdict;
    expect([await verdict({}), await verdict({ complete: false }), await verdict({ subdomains: true })]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('says so where the trees are too large to be compared, and tells of their files all the same', async () => {
    const documents = inMemory();
    const before = await treeOf(documents, 'one', { '/a': [['1', '']] });
    const after = await treeOf(documents, 'two', { '/a': [['2', '']] });
    const huge = { ...after, files: after.files.map((file) => ({ ...file, urls: 5_000_000 })) };
    expect(await diffTrees(documents, before, huge)).toMatchObject({
      ...{ added: 0, isVerdict: false, filesChanged: ['/a'], documents: [] },
      withheld: expect.stringContaining('5000000'),
    });
  });
});
