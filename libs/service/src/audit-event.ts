import { actorOf, type Caller, type EventDefinition, newId } from '@tidemark/contracts';
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

/** Returns the event of an entry in the audit log of the caller's workspace. It is written to the outbox in the transaction of the action. */
export function auditEvent(
  event: EventDefinition<AuditRecorded>,
  caller: Pick<Caller, 'workspaceId' | 'keyId' | 'userId'>,
  { action, subjectId, detail = {}, at }: AuditedAction,
): OutgoingEvent {
  const id = newId('aud');
  const { workspaceId } = caller;
  const entry = {
    id,
    workspaceId,
    actorId: actorOf(caller),
    action,
    subjectId,
    detailJson: JSON.stringify(detail),
    at,
  };
  return outgoingEvent(event, id, entry);
}
