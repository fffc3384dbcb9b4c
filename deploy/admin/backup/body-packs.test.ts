import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type BlobStore, openBlobMaintenance, openBlobs, openBlobTrash } from '@tidemark/blobs';
import { copyBodies, isWhole, readPack } from './body-packs.ts';

const base = mkdtempSync(join(tmpdir(), 'tidemark-packs-'));
afterAll(() => rmSync(base, { recursive: true }));

const HOUR_MS = 3_600_000;
let root = '';
let dir = '';
beforeEach(() => {
  root = mkdtempSync(join(base, 'blobs-'));
  dir = mkdtempSync(join(base, 'backup-'));
});

const url = (): string => pathToFileURL(root).href;
const segments = (): string[] =>
  readdirSync(join(root, 'segments'))
    .filter((name) => name.endsWith('.seg'))
    .map((name) => join(root, 'segments', name));

/** Stores bodies, a few in each segment: every store has a segment of its own. @returns their names */
async function storeBodies(stores: number, each: number): Promise<string[]> {
  const names: string[] = [];
  for (let at = 0; at < stores; at += 1) {
    const blobs = openBlobs(url());
    const stored = await Promise.all(Array.from({ length: each }, () => blobs.put(randomBytes(2_000))));
    names.push(...stored.map(({ sha256 }) => sha256));
    await blobs.close();
  }
  return names;
}

async function discard(names: readonly string[], isPurged: boolean): Promise<void> {
  const trash = openBlobTrash(url());
  await trash.discard(names);
  if (isPurged) await trash.purge(names);
  await trash.close();
}

/** Seals every segment and rewrites those that are small or mostly dead, as the services do an hour after the last write. */
async function compact(): Promise<void> {
  for (const file of segments()) utimesSync(file, new Date(), new Date(Date.now() - 2 * HOUR_MS));
  const maintenance = openBlobMaintenance(url());
  await maintenance.run(() => true);
  await maintenance.close();
}

/** Returns a store that runs something once, after this many bodies were read. */
const interrupted = (
  blobs: BlobStore,
  after: number,
  work: () => Promise<void>,
): Pick<BlobStore, 'list' | 'getPacked'> => {
  let reads = 0;
  let done: Promise<void> | undefined;
  return {
    list: () => blobs.list(),
    async getPacked(sha256) {
      reads += 1;
      if (reads > after) {
        done ??= work();
        await done;
      }
      return blobs.getPacked(sha256);
    },
  };
};

async function copied(blobs: Pick<BlobStore, 'list' | 'getPacked'>): Promise<Set<string>> {
  const names = new Set<string>();
  for (const pack of await copyBodies({ store: 'pages', blobs, dir }))
    for await (const body of readPack(dir, pack)) if (isWhole(body)) names.add(body.sha256);
  return names;
}

describe('copyBodies from segments', () => {
  it('copies every body while maintenance rewrites and removes the segments that they are in', async () => {
    const names = await storeBodies(12, 10);
    const before = segments();
    const blobs = openBlobs(url());
    const found = await copied(interrupted(blobs, 30, compact));
    await blobs.close();
    expect(segments().filter((file) => before.includes(file))).toEqual([]);
    expect([...found].toSorted()).toEqual(names.toSorted());
  });

  it('copies every body that is left while others are purged and their segments compacted', async () => {
    const names = await storeBodies(4, 20);
    const gone = names.filter((_, at) => at % 4 !== 0);
    const blobs = openBlobs(url());
    const purge = async (): Promise<void> => {
      await discard(gone, true);
      await compact();
    };
    const found = await copied(interrupted(blobs, 20, purge));
    await blobs.close();
    expect(names.filter((name) => !gone.includes(name) && !found.has(name))).toEqual([]);
  });

  it('copies bodies in the trash: rows of the snapshot may reference them', async () => {
    const names = await storeBodies(2, 10);
    await discard(names.slice(0, 10), false);
    await compact();
    const blobs = openBlobs(url());
    const found = await copied(blobs);
    await blobs.close();
    expect([...found].toSorted()).toEqual(names.toSorted());
  });

  it('leaves no byte of a purged body in a segment or in the copy', async () => {
    const names = await storeBodies(1, 10);
    const blobs = openBlobs(url());
    const [erased = ''] = names;
    const { packed } = await blobs.getPacked(erased);
    const mark = Buffer.from(packed).subarray(100, 164);
    const isIn = (files: readonly string[]): boolean => files.some((file) => readFileSync(file).includes(mark));
    expect(isIn(segments())).toBe(true);
    await discard([erased], true);
    expect(isIn(segments())).toBe(false);
    const found = await copied(blobs);
    await blobs.close();
    expect(found.has(erased)).toBe(false);
    expect(isIn([join(dir, 'bodies/pages-000001.pack')])).toBe(false);
  });
});
