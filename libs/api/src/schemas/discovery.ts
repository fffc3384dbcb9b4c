import { MapRobots, MapTotals, Time } from '@tidemark/results';
import { z } from 'zod';
import { MapFile, MapRow } from './map.ts';
import { listOf } from './parts.ts';

export const ENTRY_SETS = ['added', 'removed', 'updated'] as const;

const Change = z
  .object({
    before: z.string().describe('The snapshot it is compared with'),
    verdict: z
      .boolean()
      .describe('Both trees were read completely with the same scope: a missing URL is a removed URL'),
    withheld: z.string().nullable().describe('Why URLs were not compared; null if they were'),
    counts: z.object({ added: z.int(), removed: z.int(), updated: z.int() }).describe('Total numbers of URLs'),
    added: z.array(z.string()).describe('The first 1,000'),
    removed: z.array(z.string()),
    updated: z.array(z.string()).describe('URLs with a new lastmod'),
    filesAdded: z.array(z.string()),
    filesRemoved: z.array(z.string()),
    filesChanged: z.array(z.string()).describe('Files in both trees with different content'),
  })
  .meta({ id: 'DiscoveryChange' });

const Snapshot = z
  .object({
    id: z.string().describe('Id of the map'),
    takenAt: Time,
    complete: z.boolean().describe('Whether the whole tree was read'),
    robots: MapRobots.nullable(),
    totals: MapTotals,
    files: z.array(MapFile).describe('Files of the tree in tree order, feeds included'),
    diff: Change.nullable().describe('Changes since the previous snapshot; null without a previous one'),
  })
  .meta({ id: 'DiscoverySnapshot' });

export const Discovery = z
  .object({
    discovery: Snapshot.nullable().describe('The newest snapshot; null before the first'),
    job: z
      .object({ id: z.string(), url: z.string().describe('Path of the map') })
      .nullable()
      .describe('The running map of the next snapshot; null if none is running'),
    kept: z.array(z.object({ id: z.string(), takenAt: Time })).describe('Stored snapshots, newest first'),
    creditsUsed: z.int(),
    request_id: z.string(),
  })
  .meta({ id: 'Discovery' });
export type Discovery = z.output<typeof Discovery>;

export const DiscoveryEntries = listOf(MapRow)
  .extend({
    snapshotId: z.string(),
    total: z.int().describe('Number of all matches'),
    prefixes: z
      .array(z.object({ prefix: z.string(), urls: z.int() }))
      .describe('Folders one level below `prefix`, ordered by number of URLs, descending'),
  })
  .meta({ id: 'DiscoveryEntries' });
