import { events } from '@tidemark/contracts';
import { type OutgoingEvent, outgoingEvent } from '@tidemark/service';
import type { Charge } from '../../domain/run/charge.ts';

/** Charges as facts: one for each capture, whatever happens how often. */
export const toCharges = (workspaceId: string, charges: readonly Charge[], at: Date): OutgoingEvent[] =>
  charges.map(({ captureId, credits, isPage }) =>
    outgoingEvent(events.runCharged, `credit:${captureId}`, {
      ref: captureId,
      workspaceId,
      kind: 'page',
      credits,
      pages: isPage ? 1 : 0,
      at,
    }),
  );
