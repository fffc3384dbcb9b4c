import { hash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { PageBodies, PageRow } from '@tidemark/contracts/page/v1/page';
import pLimit from 'p-limit';
import type { BenchRun } from '../archive/rows.ts';
import type { ExportServers } from './servers.ts';

const READS_AT_ONCE = 16;
const CHUNK = 64 * 1024;
/** Pages that are in memory at a time. */
const BATCH = 2_000;

/** CPU milliseconds of the parts that no export can avoid, measured in this process with functions of Node alone. */
export interface Floors {
  /** Each document read from its file, decompressed, verified and decoded once, 16 at a time. */
  readonly readMs: number;
  /** Rows written to a file as JSON texts in chunks of 64 KB. */
  readonly writeMs: number;
}

/** Measures the floors of a run. */
export async function measureFloors({ pool, blobs, blobUrl }: ExportServers, run: BenchRun): Promise<Floors> {
  const folder = join(fileURLToPath(blobUrl), '..', 'floor');
  mkdirSync(folder, { recursive: true });
  const { rows } = await pool.query<{ row: Buffer }>('SELECT row FROM archive.pages WHERE job_id = $1', [run.runId]);
  const out = join(folder, '..', 'floor.jsonl');
  const file = openSync(out, 'w');
  for (const { row } of rows) {
    const name = PageRow.decode(row).content?.sha256 ?? '';
    writeFileSync(join(folder, name), zstdCompressSync(await blobs.get(name)));
  }
  let readMs = 0;
  let writeMs = 0;
  try {
    for (let from = 0; from < rows.length; from += BATCH) {
      const pages = rows.slice(from, from + BATCH).map(({ row }) => PageRow.decode(row));
      const readStart = process.cpuUsage();
      const bodies = await pLimit(READS_AT_ONCE).map(pages, ({ content }) =>
        readDocument(folder, content?.sha256 ?? ''),
      );
      readMs += cpuSince(readStart);
      const objects = pages.map((page, at) => ({ ...page, markdown: bodies[at]?.markdown }));
      const writeStart = process.cpuUsage();
      writeRows(file, objects);
      writeMs += cpuSince(writeStart);
    }
  } finally {
    closeSync(file);
    rmSync(out);
    rmSync(folder, { recursive: true });
  }
  return { readMs, writeMs };
}

async function readDocument(folder: string, sha256: string): Promise<PageBodies> {
  const bytes = zstdDecompressSync(await readFile(join(folder, sha256)));
  if (hash('sha256', bytes) !== sha256) throw new Error(`the document ${sha256} is damaged`);
  return PageBodies.decode(bytes);
}

function writeRows(file: number, objects: readonly object[]): void {
  let text = '';
  for (const object of objects) {
    text += `${JSON.stringify(object)}\n`;
    if (text.length < CHUNK) continue;
    writeSync(file, text);
    text = '';
  }
  writeSync(file, text);
}

function cpuSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}
