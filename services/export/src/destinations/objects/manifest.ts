import { z } from 'zod';
import type { ObjectStore } from './object-store.ts';

/** Written last: a folder without a manifest is incomplete, and files that it does not list are ignored. */
const Manifest = z.object({
  version: z.literal(1),

  syncId: z.string(),
  projectId: z.string(),
  dataset: z.string(),
  runId: z.string(),
  runAt: z.iso.datetime(),

  format: z.string(),
  compression: z.string(),
  columns: z.array(z.object({ name: z.string(), type: z.string(), nullable: z.boolean() })),

  rows: z.int(),
  bytes: z.int(),
  /** Rows left out because a file can not hold them. */
  skipped: z.int(),
  /** Files in the folder of the manifest, in order. */
  parts: z.array(z.object({ name: z.string(), rows: z.int(), bytes: z.int(), sha256: z.string() })),
  /** Files of the manifest before this one, which are deleted after it is written. */
  replaced: z.array(z.string()),
  writtenAt: z.iso.datetime(),
});
export type Manifest = z.infer<typeof Manifest>;

export const MANIFEST = '_manifest.json';

/** @returns undefined for a manifest that is absent or was written by something else */
export async function readManifest(
  store: ObjectStore,
  folder: string,
  signal: AbortSignal,
): Promise<Manifest | undefined> {
  const bytes = await store.get(`${folder}${MANIFEST}`, signal);
  if (bytes === undefined) return undefined;
  try {
    return Manifest.safeParse(JSON.parse(Buffer.from(bytes).toString())).data;
  } catch {
    return undefined;
  }
}

export const manifestBytes = (manifest: Manifest): Uint8Array =>
  Buffer.from(`${JSON.stringify(manifest, undefined, 1)}\n`);
