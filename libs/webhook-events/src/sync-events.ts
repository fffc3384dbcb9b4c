import { DESTINATION_DATASETS, DESTINATION_MODES } from '@tidemark/datasets';
import { SYNC_ERRORS, SYNC_STATUSES } from '@tidemark/results';
import { z } from 'zod';
import { event } from './event.ts';

const SyncEnded = z
  .object({
    id: z.string().describe('The sync'),
    status: z.enum(SYNC_STATUSES),
    destination: z.object({ id: z.string(), name: z.string() }),
    dataset: z.enum(DESTINATION_DATASETS),
    mode: z.enum(DESTINATION_MODES),
    written: z.int(),
    unchanged: z.int(),
    deleted: z.int(),
    skipped: z.int(),
    location: z.string().nullable(),
    warnings: z.array(z.string()).describe('The first 20'),
    error: z.object({ code: z.enum(SYNC_ERRORS), message: z.string(), hint: z.string() }).nullable(),
    attempts: z.int(),
    paused: z.string().nullable().describe('Why the destination was paused by this failure'),
  })
  .meta({ id: 'SyncEndedData' });

const SYNC = {
  id: 'syn_01kf2r5d0v8e5t9m3b7h2n6x4c',
  dataset: 'pages',
  mode: 'mirror',
  destination: { id: 'dst_01kf2r4c9q7d4s8k2a6g1m5w3b', name: 'Warehouse' },
} as const;

/** Events of the syncs of a project's runs. */
export const SYNC_EVENTS = {
  'sync.finished': event({
    description: 'A run was written to a destination.',
    data: SyncEnded,
    example: {
      ...SYNC,
      warnings: [],
      status: 'done',
      written: 13,
      unchanged: 396,
      deleted: 1,
      skipped: 0,
      location: 'table site_pages',
      error: null,
      attempts: 1,
      paused: null,
    },
  }),
  'sync.failed': event({
    description: 'A run could not be written to a destination, and is not tried again.',
    data: SyncEnded,
    example: {
      ...SYNC,
      warnings: [],
      status: 'error',
      written: 0,
      unchanged: 0,
      deleted: 0,
      skipped: 0,
      location: null,
      error: {
        code: 'refused',
        message: 'password authentication failed for user "tidemark"',
        hint: 'Check the user, its password and its rights, test the connection, then set the status of the destination to active.',
      },
      attempts: 1,
      paused: 'a sync was refused',
    },
  }),
} as const;
