import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { messageOf, Problem } from '../../local/problem.ts';

const MANIFEST = 'manifest.json';

const Table = z.object({
  schema: z.string(),
  table: z.string(),
  columns: z.array(z.string()),
  rows: z.number().int(),
  /** Path in the backup: the rows in the text format of COPY, compressed with zstd. */
  file: z.string(),
  /** Of the file. */
  sha256: z.string(),
});

const Sequence = z.object({ schema: z.string(), name: z.string(), value: z.string() });

const Pack = z.object({ file: z.string(), bodies: z.number().int(), bytes: z.number().int(), sha256: z.string() });

/** What an export of a workspace contains besides rows and bodies. */
const Moved = z.object({
  /** The workspace, then its sub-accounts. */
  workspaceIds: z.array(z.string()).min(1),
  name: z.string(),
  members: z.array(z.object({ workspaceId: z.string(), address: z.string(), role: z.string() })),
});

/** What a backup contains. It is written last: a folder without it is no backup. */
export const Manifest = z.object({
  format: z.literal(1),
  /** Version of Tidemark that made it. */
  version: z.string(),
  /** The state of the database that it holds. */
  snapshotAt: z.iso.datetime(),
  endedAt: z.iso.datetime(),
  /** False if the bodies were copied later than unreferenced ones are kept: some that the rows name may be missing. */
  isComplete: z.boolean(),
  /** Fingerprints of the sealing keys that were configured, the current one first. The keys themselves are never in a backup. */
  sealingKeys: z.array(z.string()),
  /** Applied migrations by service, in their order. */
  migrations: z.record(z.string(), z.array(z.string())),
  tables: z.array(Table),
  sequences: z.array(Sequence),
  /** By the name of the store. */
  bodies: z.record(z.string(), z.array(Pack)),
  /** Absent: a backup of a whole installation. */
  workspace: Moved.optional(),
});
export type Manifest = z.infer<typeof Manifest>;
export type CopiedTable = z.infer<typeof Table>;
export type CopiedSequence = z.infer<typeof Sequence>;
export type BodyPack = z.infer<typeof Pack>;

/** Returns the manifest of a backup. @throws Problem if the folder is no whole backup */
export function readManifest(dir: string): Manifest {
  try {
    return Manifest.parse(JSON.parse(readFileSync(join(dir, MANIFEST), 'utf8')));
  } catch (error) {
    throw new Problem(
      `${dir} is no whole backup (${messageOf(error)}); expected a folder that tidemark-admin backup wrote, with ${MANIFEST}.`,
    );
  }
}

/** Writes the manifest, which completes the backup. */
export function writeManifest(dir: string, manifest: Manifest): void {
  const half = join(dir, `${MANIFEST}.new`);
  writeFileSync(half, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
  renameSync(half, join(dir, MANIFEST));
}
