import { z } from 'zod';
import { MapFile, MapRobots, MapRow, MapTotals } from './map.ts';
import { listOf, Time } from './parts.ts';

export const ENTRY_SETS = ['added', 'removed', 'updated'] as const;

const Change = z
  .object({
    before: z.string().describe('The snapshot it is compared with'),
    verdict: z.boolean().describe('Both trees were read whole and reach as far: what is missing is gone'),
    withheld: z.string().nullable().describe('Why addresses were not compared; null: they were'),
    counts: z.object({ added: z.int(), removed: z.int(), updated: z.int() }).describe('Addresses; of all of them'),
    added: z.array(z.string()).describe('The first thousand'),
    removed: z.array(z.string()),
    updated: z.array(z.string()).describe('Dated anew'),
    filesAdded: z.array(z.string()),
    filesRemoved: z.array(z.string()),
    filesChanged: z.array(z.string()).describe('In both trees, and declaring something else'),
  })
  .meta({ id: 'DiscoveryChange' });

const Snapshot = z
  .object({
    id: z.string().describe('The map it was made by'),
    takenAt: Time,
    complete: z.boolean().describe('Whether the whole tree was read'),
    robots: MapRobots.nullable(),
    totals: MapTotals,
    files: z.array(MapFile).describe('The tree, in its order; feeds among them'),
    diff: Change.nullable().describe('What has changed since the snapshot before it; null where there is none'),
  })
  .meta({ id: 'DiscoverySnapshot' });

export const Discovery = z
  .object({
    discovery: Snapshot.nullable().describe('The newest snapshot; null before the first'),
    job: z
      .object({ id: z.string(), url: z.string().describe('Where it can be read') })
      .nullable()
      .describe('The map that makes the next snapshot; null where none is under way'),
    kept: z.array(z.object({ id: z.string(), takenAt: Time })).describe('The snapshots that are kept, newest first'),
    creditsUsed: z.int(),
    request_id: z.string(),
  })
  .meta({ id: 'Discovery' });
export type Discovery = z.output<typeof Discovery>;

export const DiscoveryEntries = listOf(MapRow)
  .extend({
    snapshotId: z.string(),
    total: z.int().describe('Of all that match'),
    prefixes: z
      .array(z.object({ prefix: z.string(), urls: z.int() }))
      .describe('The folders one level below `prefix`, those with the most addresses first'),
  })
  .meta({ id: 'DiscoveryEntries' });
