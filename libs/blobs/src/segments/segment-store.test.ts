import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { codeOf } from '@tidemark/errors';
import type { AppendedBlob } from '../blob-driver.ts';
import { BlobStore } from '../blob-store.ts';
import { blobFile } from '../files/blob-file.ts';
import { trashName } from '../files/trash-name.ts';
import { openFolderStates } from '../folder-states.ts';
import { packBlob, type StoredBlob } from '../pack-blob.ts';
import { ENTRY_HEADER_BYTES } from './entry-format.ts';
import { SegmentAppender } from './segment-appender.ts';
import { SegmentDriver } from './segment-driver.ts';
import { listSegments, segmentFolder, segmentPath } from './segment-folder.ts';
import { SegmentMaintenance } from './segment-maintenance.ts';
import { SegmentTrash } from './segment-trash.ts';

const base = mkdtempSync(join(tmpdir(), 'tidemark-segments-'));
afterAll(() => rmSync(base, { recursive: true }));

const HOUR_MS = 3_600_000;
let root = '';
let count = 0;
beforeEach(() => {
  count += 1;
  root = join(base, String(count));
});

const openStore = () => new BlobStore(new SegmentDriver(root));
const folder = () => segmentFolder(root);
const files = () => listSegments(folder()).map((name) => segmentPath(folder(), name));
const bytesOnDisk = () => files().reduce((sum, file) => sum + statSync(file).size, 0);
const isOnDisk = (text: string) => files().some((file) => readFileSync(file).includes(text));
/** A body that zstd can not compress, so that its text is found in a file. */
const plain = (text: string) => Buffer.concat([randomBytes(200), Buffer.from(text)]);
/** Makes every segment old enough to be sealed. */
const age = () => {
  for (const file of files()) utimesSync(file, new Date(), new Date(Date.now() - 2 * HOUR_MS));
};
const maintain = async (options: { segmentBytes?: number; importAfterMs?: number } = {}) => {
  const maintenance = new SegmentMaintenance(root, { importAfterMs: 0, ...options });
  const report = await maintenance.run(() => true);
  const recovered = maintenance.recovered();
  await maintenance.close();
  return { ...report, recovered };
};
const remove = async (sha256s: readonly string[]) => {
  const trash = new SegmentTrash(root);
  await trash.discard(sha256s);
  await trash.purge(sha256s);
  await trash.close();
};

const stateOf = (sha256: string) => {
  const states = openFolderStates(pathToFileURL(root).href);
  const state = states.stateOf(sha256);
  states.close();
  return state;
};

function placeOf(appended: AppendedBlob | StoredBlob): AppendedBlob {
  if (!('segment' in appended)) throw new Error('expected an appended body');
  return appended;
}

describe('a store in segments', () => {
  it('writes bodies of the same moment to one segment and finds them from another process', async () => {
    const [writer, reader] = [openStore(), openStore()];
    const bodies = Array.from({ length: 120 }, (_, i) => Buffer.from(`body ${i}`));
    const stored = await Promise.all(bodies.map((body) => writer.put(body, 5)));
    expect(files()).toHaveLength(1);
    for (const [at, { sha256 }] of stored.entries()) expect(await reader.get(sha256)).toEqual(bodies[at]);
    await writer.close();
    await reader.close();
  });

  it('stores a body once, also if two processes write it', async () => {
    const [a, b] = [openStore(), openStore()];
    const body = randomBytes(10_000);
    await a.put(body);
    const before = bytesOnDisk();
    await b.put(body);
    await a.put(body);
    expect(bytesOnDisk()).toBe(before);
    await a.close();
    await b.close();
  });

  it('commits bodies that another thread has appended', async () => {
    const blobs = openStore();
    const appender = new SegmentAppender(root);
    const packed = packBlob(Buffer.from('appended on a thread'));
    const appended = placeOf(appender.append(packed));
    expect(stateOf(packed.sha256)).toBe('missing');
    expect(await blobs.commit(appended)).toEqual({ sha256: packed.sha256, bytes: packed.bytes });
    expect((await blobs.get(packed.sha256)).toString()).toBe('appended on a thread');
    expect(appender.append(packed)).toEqual({ sha256: packed.sha256, bytes: packed.bytes });
    appender.close();
    await blobs.close();
  });

  it('reads many bodies in their order, from several segments, repeated names and the files of the earlier layout too', async () => {
    const blobs = new BlobStore(new SegmentDriver(root, { segmentBytes: 50_000 }));
    const bodies = Array.from({ length: 30 }, (_, at) => randomBytes(at * 500));
    const names: string[] = [];
    for (const body of bodies) names.push((await blobs.put(body)).sha256);
    const old = packBlob(Buffer.from('in a file'));
    mkdirSync(dirname(blobFile(root, old.sha256)), { recursive: true });
    writeFileSync(blobFile(root, old.sha256), old.packed);
    const order = [...names.toReversed(), old.sha256, names[3] ?? ''];
    const expected = [...bodies.toReversed(), Buffer.from('in a file'), bodies[3]];
    expect(files().length).toBeGreaterThan(1);
    expect(await blobs.getMany(order)).toEqual(expected);
    expect(await blobs.getMany([])).toEqual([]);
    await blobs.close();
  });

  it('reports a missing or damaged body among many', async () => {
    const blobs = openStore();
    const damaged = await blobs.put(plain('the damaged body'));
    const intact = await blobs.put(plain('the intact body'));
    const [file = ''] = files();
    const bytes = readFileSync(file);
    bytes[bytes.indexOf('the damaged body')] = 0;
    writeFileSync(file, bytes);
    await expect(blobs.getMany([intact.sha256, damaged.sha256])).rejects.toMatchObject({ code: 'internal' });
    await expect(blobs.getMany([intact.sha256, 'f'.repeat(64)])).rejects.toMatchObject({ code: 'not_found' });
    await blobs.close();
  });

  it('begins a new segment at the size limit', async () => {
    const blobs = new BlobStore(new SegmentDriver(root, { segmentBytes: 5_000 }));
    for (let i = 0; i < 6; i += 1) await blobs.put(randomBytes(2_000));
    expect(files()).toHaveLength(2);
    await blobs.close();
  });

  it('reports a damaged body and returns the others', async () => {
    const blobs = openStore();
    const damaged = await blobs.put(plain('the damaged body'));
    const intact = await blobs.put(plain('the intact body'));
    const [file = ''] = files();
    const bytes = readFileSync(file);
    bytes[bytes.indexOf('the damaged body')] = 0;
    writeFileSync(file, bytes);
    await expect(blobs.get(damaged.sha256)).rejects.toMatchObject({ code: 'internal' });
    expect((await blobs.get(intact.sha256)).includes('the intact body')).toBe(true);
    await blobs.close();
  });

  it('refuses an entry with an encoding of a newer version', async () => {
    const blobs = openStore();
    const { sha256 } = await blobs.put(Buffer.from('from the future'));
    const [file = ''] = files();
    const bytes = readFileSync(file);
    const at = bytes.indexOf('TMEN');
    bytes[at + 4] = 2;
    const { crc32 } = await import('node:zlib');
    bytes.writeUInt32LE(crc32(bytes.subarray(at, at + 60)), at + 60);
    writeFileSync(file, bytes);
    await expect(blobs.get(sha256)).rejects.toMatchObject({
      code: 'unavailable',
      cause: expect.objectContaining({ message: expect.stringContaining('newer version') }),
    });
    await blobs.close();
  });

  it('rejects a write that the disk refuses and accepts the next one', async () => {
    writeFileSync(join(base, 'no-folder'), '');
    const refused = new BlobStore(new SegmentDriver(join(base, 'no-folder')));
    await expect(refused.put(Buffer.from('lost'))).rejects.toMatchObject({ code: 'unavailable' });
    await refused.close();
  });
});

describe('a disk that becomes full', () => {
  it('in the middle of an append refuses the write, returns its space, and accepts the next write', async () => {
    const child = fileURLToPath(new URL('../../test/full-disk-child.ts', import.meta.url));
    const limited = 'ulimit -f 6000; exec "$@"';
    const args = ['-c', limited, 'sh', process.execPath, '--conditions=tidemark-source', child, root];
    const { stdout, stderr } = spawnSync('sh', args, { encoding: 'utf8' });
    expect(stderr).toBe('');
    const lines = stdout.trim().split('\n');
    const stored = lines.flatMap((line) => (line.startsWith('stored ') ? [line.slice(7)] : []));
    expect(lines.map((line) => line.split(' ')[0])).toEqual([
      ...Array(stored.length - 1).fill('stored'),
      'refused',
      'stored',
    ]);
    expect(bytesOnDisk()).toBeLessThan(stored.length * 1_000_200);
    const blobs = openStore();
    for (const sha256 of stored) expect((await blobs.get(sha256)).length).toBe(1_000_000);
    await blobs.close();
  });
});

describe('recovery of the index', () => {
  it('continues with the present index after it was deleted while processes have it open', async () => {
    const [writer, reader] = [openStore(), openStore()];
    const before = await writer.put(randomBytes(3_000));
    expect((await reader.get(before.sha256)).length).toBe(3_000);
    for (const name of readdirSync(folder())) if (name.startsWith('index.')) rmSync(join(folder(), name));
    const after = await writer.put(randomBytes(3_000));
    const later = openStore();
    for (const store of [reader, writer, later])
      for (const { sha256 } of [before, after]) expect((await store.get(sha256)).length).toBe(3_000);
    for (const store of [reader, writer, later]) await store.close();
  });

  it('refuses an index of a newer release and names both versions', async () => {
    const blobs = openStore();
    const { sha256 } = await blobs.put(Buffer.from('a body'));
    await blobs.close();
    const index = new DatabaseSync(join(folder(), 'index.sqlite'));
    index.exec('PRAGMA user_version = 2');
    index.close();
    const older = openStore();
    await expect(older.get(sha256)).rejects.toMatchObject({
      code: 'unavailable',
      cause: expect.objectContaining({ message: expect.stringContaining('version 2 of a newer release') }),
    });
    await older.close();
  });

  it('finds every whole entry after the index was deleted, and leaves out a torn one', async () => {
    const blobs = openStore();
    const kept = await blobs.put(randomBytes(3_000));
    const torn = await blobs.put(randomBytes(3_000));
    await blobs.close();
    for (const name of readdirSync(folder())) if (name.startsWith('index.')) rmSync(join(folder(), name));
    const [file = ''] = files();
    truncateSync(file, statSync(file).size - 10);
    const again = openStore();
    expect((await again.get(kept.sha256)).length).toBe(3_000);
    await expect(again.get(torn.sha256)).rejects.toMatchObject({ code: 'not_found' });
    await again.put(randomBytes(10));
    await again.close();
  });

  it('finds entries behind bytes that are none', async () => {
    const blobs = openStore();
    const first = await blobs.put(randomBytes(3_000));
    const second = await blobs.put(randomBytes(3_000));
    await blobs.close();
    for (const name of readdirSync(folder())) if (name.startsWith('index.')) rmSync(join(folder(), name));
    const [file = ''] = files();
    const bytes = readFileSync(file);
    bytes.fill(0, 16, 16 + ENTRY_HEADER_BYTES);
    writeFileSync(file, bytes);
    const again = openStore();
    await expect(again.get(first.sha256)).rejects.toMatchObject({ code: 'not_found' });
    expect((await again.get(second.sha256)).length).toBe(3_000);
    await again.close();
  });

  it('reports appended bodies that were never committed, so that they are collected', async () => {
    const appender = new SegmentAppender(root);
    const packed = packBlob(Buffer.from('never committed'));
    appender.append(packed);
    appender.close();
    expect((await maintain()).recovered).toEqual([]);
    age();
    expect((await maintain()).recovered).toEqual([packed.sha256]);
  });
});

describe('deletion from segments', () => {
  it('erases the bytes of a body with its purge', async () => {
    const blobs = openStore();
    const { sha256 } = await blobs.put(plain('personal data'));
    const other = await blobs.put(plain('kept data'));
    expect(isOnDisk('personal data')).toBe(true);
    await remove([sha256]);
    expect(isOnDisk('personal data')).toBe(false);
    await expect(blobs.get(sha256)).rejects.toMatchObject({ code: 'not_found' });
    expect((await blobs.get(other.sha256)).includes('kept data')).toBe(true);
    await blobs.close();
  });

  it('erases the copy of a body that two threads appended at once', async () => {
    const blobs = openStore();
    const [one, two] = [new SegmentAppender(root), new SegmentAppender(root)];
    const packed = packBlob(plain('written twice'));
    const [first, second] = [placeOf(one.append(packed)), placeOf(two.append(packed))];
    await blobs.commit(first);
    await blobs.commit(second);
    expect(files().filter((file) => readFileSync(file).includes('written twice'))).toHaveLength(2);
    await maintain();
    expect(files().filter((file) => readFileSync(file).includes('written twice'))).toHaveLength(1);
    await remove([packed.sha256]);
    expect(isOnDisk('written twice')).toBe(false);
    one.close();
    two.close();
    await blobs.close();
  });

  it('returns the space of deleted bodies and keeps the others readable', async () => {
    const blobs = openStore();
    const stored = await Promise.all(Array.from({ length: 40 }, () => blobs.put(randomBytes(5_000))));
    await remove(stored.slice(0, 30).map(({ sha256 }) => sha256));
    const before = bytesOnDisk();
    age();
    expect((await maintain()).compacted).toBe(1);
    expect(bytesOnDisk()).toBeLessThan(before / 3);
    for (const { sha256 } of stored.slice(30)) expect((await blobs.get(sha256)).length).toBe(5_000);
    await blobs.close();
  });

  it('keeps a segment with an entry that can not be read', async () => {
    const blobs = openStore();
    const damaged = await blobs.put(plain('unreadable'));
    const gone = await blobs.put(randomBytes(50_000));
    await remove([gone.sha256]);
    const [file = ''] = files();
    const bytes = readFileSync(file);
    bytes[bytes.indexOf('unreadable')] = 0;
    writeFileSync(file, bytes);
    age();
    expect(await maintain()).toMatchObject({ compacted: 0, damaged: listSegments(folder()) });
    await expect(blobs.get(damaged.sha256)).rejects.toMatchObject({ code: 'internal' });
    await blobs.close();
  });

  it('merges small segments', async () => {
    const stored = [];
    for (let i = 0; i < 8; i += 1) {
      const blobs = openStore();
      stored.push(await blobs.put(randomBytes(1_000)));
      await blobs.close();
    }
    expect(files()).toHaveLength(8);
    age();
    await maintain();
    expect(files()).toHaveLength(1);
    const blobs = openStore();
    for (const { sha256 } of stored) expect((await blobs.get(sha256)).length).toBe(1_000);
    await blobs.close();
  });

  it('does not lose a body that is written or read while its segment is compacted', async () => {
    const blobs = openStore();
    const stored = await Promise.all(Array.from({ length: 60 }, () => blobs.put(randomBytes(4_000))));
    await remove(stored.slice(0, 40).map(({ sha256 }) => sha256));
    age();
    const kept = stored.slice(40);
    const reading = (async () => {
      for (let round = 0; round < 20; round += 1)
        for (const { sha256 } of kept) expect((await blobs.get(sha256)).length).toBe(4_000);
    })();
    await Promise.all([maintain(), maintain(), reading]);
    for (const { sha256 } of kept) expect((await blobs.get(sha256)).length).toBe(4_000);
    await blobs.close();
  });
});

describe('a body that is purged while it is read', () => {
  it('is returned whole or not found, and never reported as damaged', async () => {
    const blobs = openStore();
    const bodies = Array.from({ length: 40 }, () => randomBytes(100_000));
    const stored = await Promise.all(bodies.map((body) => blobs.put(body)));
    const results = new Map([
      ['found', 0],
      ['not_found', 0],
    ]);
    const count = (result: string) => results.set(result, (results.get(result) ?? 0) + 1);
    const read = async ({ sha256 }: StoredBlob): Promise<void> => {
      for (let result = 'found'; result === 'found'; count(result))
        result = await blobs
          .get(sha256)
          .then((body) => (packBlob(body).sha256 === sha256 ? 'found' : 'another body'), codeOf);
    };
    const reading = Promise.all(stored.map(read));
    for (const { sha256 } of stored) await remove([sha256]);
    await reading;
    expect([...results.keys()]).toEqual(['found', 'not_found']);
    expect(results.get('not_found')).toBe(40);
    await blobs.close();
  });
});

describe('a folder of the earlier layout', () => {
  const file = (name: string, body: Buffer) => {
    const path = blobFile(root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, packBlob(body).packed);
    return path;
  };

  it('is read in place, moved into segments with its trash, and then has no files left', async () => {
    const [body, trashed] = [randomBytes(2_000), randomBytes(2_000)];
    const [name, trashedName] = [packBlob(body).sha256, packBlob(trashed).sha256];
    file(name, body);
    file(trashName(trashedName), trashed);
    const blobs = openStore();
    expect(await blobs.get(name)).toEqual(body);
    expect(await blobs.get(trashedName)).toEqual(trashed);
    expect(await maintain()).toMatchObject({ imported: 2 });
    expect(readdirSync(root)).toEqual(['segments']);
    expect(await blobs.get(name)).toEqual(body);
    expect(await blobs.get(trashedName)).toEqual(trashed);
    expect([stateOf(name), stateOf(trashedName)]).toEqual(['stored', 'in_trash']);
    await blobs.close();
  });

  it('lists every body while maintenance moves files into segments', async () => {
    const names = Array.from({ length: 300 }, (_, at) => {
      const body = Buffer.from(`body ${at}`);
      file(packBlob(body).sha256, body);
      return packBlob(body).sha256;
    });
    const blobs = openStore();
    const listed = new Set<string>();
    for await (const sha256 of blobs.list()) {
      listed.add(sha256);
      if (listed.size === 10) await maintain();
    }
    expect([...listed].sort()).toEqual(names.sort());
    await blobs.close();
  });

  it('keeps its files for a day after the first start with segments, so that an earlier version can read them after a failed upgrade', async () => {
    const body = randomBytes(2_000);
    const { sha256, packed } = packBlob(body);
    const path = file(sha256, body);
    expect(await maintain({ importAfterMs: 24 * HOUR_MS })).toMatchObject({ imported: 0 });
    expect(readFileSync(path)).toEqual(packed);
  });

  it('has bodies moved to the trash and purged before they are in segments', async () => {
    const body = randomBytes(2_000);
    const { sha256 } = packBlob(body);
    const path = file(sha256, body);
    const trash = new SegmentTrash(root);
    expect(await trash.discard([sha256])).toEqual(new Set([sha256]));
    expect(statSync(path, { throwIfNoEntry: false })).toBeUndefined();
    expect(await trash.purge([sha256])).toEqual(new Set([sha256]));
    await trash.close();
    expect(stateOf(sha256)).toBe('missing');
  });

  it('deletes a file that a process left incomplete long ago, and no recent one', async () => {
    const old = `${file('a'.repeat(64), Buffer.from('x'))}.1.partial`;
    const recent = `${old}.2.partial`;
    writeFileSync(old, '');
    writeFileSync(recent, '');
    utimesSync(old, new Date(), new Date(Date.now() - 2 * HOUR_MS));
    await maintain();
    expect(statSync(old, { throwIfNoEntry: false })).toBeUndefined();
    expect(statSync(recent, { throwIfNoEntry: false })).toBeDefined();
  });
});
