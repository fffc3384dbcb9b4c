import { events } from '@tidemark/contracts';
import { type OutgoingEvent, outgoingEvent } from '@tidemark/service';
import type { Charge } from '../../domain/run/charge.ts';
import type { Run } from '../../domain/run/run.ts';

/** The run that is charged. */
type ChargedRun = Pick<Run, 'workspaceId' | 'actorId' | 'projectId'>;

/** Converts charges to events. The event id depends on the capture only, so that a capture is charged at most once. */
export const toCharges = (
  { workspaceId, actorId, projectId = '' }: ChargedRun,
  charges: readonly Charge[],
  at: Date,
): OutgoingEvent[] =>
  charges.map(({ captureId, credits, isPage }) =>
    outgoingEvent(events.runCharged, `credit:${captureId}`, {
      ref: captureId,
      workspaceId,
      kind: 'page',
      credits,
      pages: isPage ? 1 : 0,
      at,
      actorId,
      projectId,
    }),
  );
