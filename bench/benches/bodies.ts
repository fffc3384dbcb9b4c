import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fdatasyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { type AppendedBlob, openAppender, openBlobs, type PackedBlob, packBlob } from '@tidemark/blobs';
import { open as openLmdb } from 'lmdb';

const COUNT = Number(process.env['BENCH_BODIES'] ?? 4_000);
const BATCHES = [1, 10, 50];
const READS_AT_ONCE = 16;
const DIR = resolve(import.meta.dirname, '../../.tidemark/bench-bodies');

/** A way to store bodies: writes are durable when `write` has resolved. */
interface Way {
  readonly name: string;
  open(dir: string): Promise<{
    write(batch: readonly PackedBlob[]): Promise<void>;
    read(sha256: string): Promise<Uint8Array | undefined>;
    close(): Promise<void>;
  }>;
}

const filePerBody: Way = {
  name: 'a file per body',
  async open(dir) {
    const fileOf = (name: string) => join(dir, name.slice(0, 2), name);
    return {
      async write(batch) {
        for (const { sha256, packed } of batch) {
          const file = fileOf(sha256);
          mkdirSync(join(dir, sha256.slice(0, 2)), { recursive: true });
          const fd = openSync(`${file}.partial`, 'wx');
          writeSync(fd, packed);
          fdatasyncSync(fd);
          closeSync(fd);
          renameSync(`${file}.partial`, file);
        }
      },
      read: (sha256) => readFile(fileOf(sha256)),
      close: async () => undefined,
    };
  },
};

const sqlite: Way = {
  name: 'node:sqlite, WAL, FULL',
  async open(dir) {
    const db = new DatabaseSync(join(dir, 'bodies.sqlite'));
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    db.exec('CREATE TABLE bodies (sha256 BLOB PRIMARY KEY, packed BLOB NOT NULL) WITHOUT ROWID');
    const insert = db.prepare('INSERT OR IGNORE INTO bodies VALUES (?, ?)');
    const select = db.prepare('SELECT packed FROM bodies WHERE sha256 = ?');
    return {
      async write(batch) {
        db.exec('BEGIN IMMEDIATE');
        for (const { sha256, packed } of batch) insert.run(Buffer.from(sha256, 'hex'), packed);
        db.exec('COMMIT');
      },
      async read(sha256) {
        const packed = select.get(Buffer.from(sha256, 'hex'))?.['packed'];
        return packed instanceof Uint8Array ? packed : undefined;
      },
      close: async () => db.close(),
    };
  },
};

const lmdb: Way = {
  name: 'lmdb',
  async open(dir) {
    const db = openLmdb<Uint8Array, Buffer>({ path: join(dir, 'lmdb'), encoding: 'binary', keyEncoding: 'binary' });
    return {
      async write(batch) {
        db.transactionSync(() => {
          for (const { sha256, packed } of batch) {
            const key = Buffer.from(sha256, 'hex');
            if (!db.doesExist(key)) db.putSync(key, packed);
          }
        });
        await db.flushed;
      },
      read: async (sha256) => db.get(Buffer.from(sha256, 'hex')),
      close: () => db.close(),
    };
  },
};

const segments: Way = {
  name: 'segments: put',
  async open(dir) {
    const blobs = openBlobs(pathToFileURL(dir).href);
    return {
      async write(batch) {
        await Promise.all(batch.map((blob) => blobs.putPacked(blob)));
      },
      read: (sha256) => blobs.readPacked(sha256),
      close: () => blobs.close(),
    };
  },
};

const appended: Way = {
  name: 'segments: append, commit',
  async open(dir) {
    const address = pathToFileURL(dir).href;
    const blobs = openBlobs(address);
    const appender = openAppender(address);
    if (appender === undefined) throw new Error('the folder has no segments');
    return {
      async write(batch) {
        const places = batch.map((blob) => appender.append(blob));
        const isAppended = (place: (typeof places)[number]): place is AppendedBlob => 'segment' in place;
        await Promise.all(places.filter(isAppended).map((place) => blobs.commit(place)));
      },
      read: (sha256) => blobs.readPacked(sha256),
      async close() {
        appender.close();
        await blobs.close();
      },
    };
  },
};

const bytesIn = (dir: string): number =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);

/** Runs work and returns wall and CPU milliseconds for each body. */
async function timed(work: () => Promise<void>): Promise<{ wall: number; cpu: number }> {
  const cpuStart = process.cpuUsage();
  const start = performance.now();
  await work();
  const wall = (performance.now() - start) / COUNT;
  const { user, system } = process.cpuUsage(cpuStart);
  return { wall, cpu: (user + system) / 1_000 / COUNT };
}

const bodies: readonly PackedBlob[] = Array.from({ length: COUNT }, (_, i) =>
  packBlob(
    Buffer.from(`page ${i} ${'the tide rises over the harbour '.repeat(900)}${randomBytes(13_900).toString('latin1')}`),
  ),
);
const packedBytes = bodies.reduce((sum, { packed }) => sum + packed.length, 0);
process.stdout.write(`${COUNT} bodies of ${Math.round(packedBytes / COUNT / 100) / 10} KB, ms for each body\n`);

const shown = (ms: number) => ms.toFixed(3).padStart(8);
for (const batchSize of BATCHES) {
  process.stdout.write(
    `\nbatches of ${batchSize}            write wall, cpu   read wall, cpu  again (stored) cpu  bytes / body\n`,
  );
  for (const way of [filePerBody, sqlite, lmdb, segments, appended]) {
    rmSync(DIR, { recursive: true, force: true });
    mkdirSync(DIR, { recursive: true });
    const store = await way.open(DIR);
    const writeAll = async () => {
      for (let from = 0; from < COUNT; from += batchSize) await store.write(bodies.slice(from, from + batchSize));
    };
    const written = await timed(writeAll);
    const read = await timed(async () => {
      for (let from = 0; from < COUNT; from += READS_AT_ONCE)
        await Promise.all(
          bodies.slice(from, from + READS_AT_ONCE).map(async ({ sha256, packed }) => {
            const found = await store.read(sha256);
            if (found?.length !== packed.length) throw new Error(`${way.name} lost a body`);
          }),
        );
    });
    const again = way === filePerBody ? undefined : await timed(writeAll);
    const size = bytesIn(DIR) / COUNT / (packedBytes / COUNT);
    process.stdout.write(
      `${way.name.padEnd(26)}${shown(written.wall)}${shown(written.cpu)}  ${shown(read.wall)}${shown(read.cpu)}        ${again === undefined ? '       -' : shown(again.cpu)}      ${size.toFixed(2)}\n`,
    );
    await store.close();
  }
}
rmSync(DIR, { recursive: true, force: true });
