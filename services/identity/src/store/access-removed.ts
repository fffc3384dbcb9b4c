import { events } from '@tidemark/contracts';
import { type OutgoingEvent, outgoingEvent, writeEvents } from '@tidemark/service';
import type { Queryable } from './queryable.ts';

/** Returns the events of keys that were revoked and people who left a workspace. Their ids are used once, so that each has one event. */
export const accessRemoved = (workspaceId: string, subjectIds: readonly string[], at: Date): OutgoingEvent[] =>
  subjectIds.map((subjectId) =>
    outgoingEvent(events.accessRemoved, `removed:${workspaceId}:${subjectId}:${at.toISOString()}`, {
      workspaceId,
      subjectId,
      at,
    }),
  );

/** Writes these events in the transaction of the removal. The outbox sends them. */
export const writeAccessRemoved = (db: Queryable, workspaceId: string, subjectIds: readonly string[]): Promise<void> =>
  writeEvents(db, accessRemoved(workspaceId, subjectIds, new Date()));
