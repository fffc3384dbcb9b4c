import { type EventDefinition, newId } from '@tidemark/contracts';
import type { AuditRecorded } from '@tidemark/contracts/audit/v1/events';
import { type OutgoingEvent, outgoingEvent } from './outgoing-event.ts';

export interface AuditedAction {
  readonly action: string;
  /** Id of what the action concerns. */
  readonly subjectId: string;
  /** What was done, without secrets. */
  readonly detail?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  readonly at: Date;
}

/** Returns the event of an entry in the audit log of a workspace. Workspace and actor are those of `actedBy`. It is written to the outbox in the transaction of the action. */
export function auditEvent(
  event: EventDefinition<AuditRecorded>,
  { workspaceId, actorId }: { readonly workspaceId: string; readonly actorId: string },
  { action, subjectId, detail = {}, at }: AuditedAction,
): OutgoingEvent {
  const id = newId('aud');
  const entry = {
    id,
    workspaceId,
    actorId,
    action,
    subjectId,
    detailJson: JSON.stringify(detail),
    at,
  };
  return outgoingEvent(event, id, entry);
}
