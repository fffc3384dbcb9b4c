import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { isWhole, readPack } from './body-packs.ts';
import { type BodyPack, type CopiedTable, readManifest } from './manifest.ts';
import { forEachNamedBody } from './named-bodies.ts';
import { readRows } from './tables.ts';

export interface Verified {
  readonly rows: number;
  readonly bodies: number;
  /** Bodies that rows reference. */
  readonly named: number;
  /** What is wrong, a sentence each; empty: the backup can be restored whole. */
  readonly faults: readonly string[];
}

/** Faults that are listed of each kind. */
const LISTED = 20;

/**
 * Reads a whole backup: checksums of every file, rows of every table, the hash of every body, and whether each body that a row references
 * is in it. Needs no database.
 * @throws Problem if the folder is no backup
 */
export async function verifyBackup(dir: string): Promise<Verified> {
  const manifest = readManifest(dir);
  const faults: string[] = [];
  if (!manifest.isComplete)
    faults.push(
      'the copy of the bodies took longer than unreferenced bodies are kept: make the backup again, or raise BLOB_ASIDE_HOURS',
    );
  const bodies = new Map<string, Set<string>>();
  for (const [store, packs] of Object.entries(manifest.bodies)) {
    const names = new Set<string>();
    bodies.set(store, names);
    for (const pack of packs) faults.push(...(await readBodies(dir, pack, names)));
  }
  const named = new Set<string>();
  const missing = new Set<string>();
  let rows = 0;
  for (const table of manifest.tables) {
    faults.push(...(await tableFaults(dir, table)));
    if (!existsSync(join(dir, table.file))) continue;
    rows += table.rows;
    await forEachNamedBody(dir, table, (store, sha256) => {
      named.add(`${store}/${sha256}`);
      if (bodies.get(store)?.has(sha256) !== true)
        missing.add(`${table.schema}.${table.table} references ${sha256}, which the backup lacks`);
    });
  }
  faults.push(...[...missing].slice(0, LISTED));
  if (missing.size > LISTED) faults.push(`${missing.size - LISTED} more bodies are missing`);
  const count = [...bodies.values()].reduce((total, names) => total + names.size, 0);
  return { rows, bodies: count, named: named.size, faults };
}

/** Adds the names of the undamaged bodies of a pack. @returns its faults */
async function readBodies(dir: string, pack: BodyPack, names: Set<string>): Promise<string[]> {
  const faults: string[] = [];
  try {
    for await (const body of readPack(dir, pack)) {
      if (isWhole(body)) names.add(body.sha256);
      else faults.push(`the body ${body.sha256} in ${pack.file} is damaged`);
    }
  } catch (error) {
    faults.push(String(error));
  }
  return faults;
}

async function tableFaults(dir: string, table: CopiedTable): Promise<string[]> {
  if (!existsSync(join(dir, table.file))) return [`${table.file} is missing`];
  const sum = createHash('sha256');
  for await (const chunk of createReadStream(join(dir, table.file))) sum.update(chunk);
  if (sum.digest('hex') !== table.sha256) return [`${table.file} differs from its checksum`];
  let rows = 0;
  for await (const chunk of readRows(dir, table)) {
    for (const byte of Buffer.from(chunk)) if (byte === 0x0a) rows += 1;
  }
  return rows === table.rows ? [] : [`${table.file} has ${rows} rows; expected ${table.rows}`];
}
