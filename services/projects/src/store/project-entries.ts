import { isDeepStrictEqual } from 'node:util';
import { actedBy, type Caller, events } from '@tidemark/contracts';
import { auditEvent, type OutgoingEvent } from '@tidemark/service';
import { changedKeys } from '../domain/config-values.ts';
import type { NewProject } from '../domain/project.ts';
import type { LockedProject, ProjectChange } from './project-change.ts';

/** Returns the entry of a new project in the audit log. `createdBy` is an actor: see `actorOf`. */
export function createdEntry({ id, workspaceId, seed, config, createdBy, at }: NewProject): OutgoingEvent {
  const detail = { seed, keys: Object.keys(config).sort() };
  return auditEvent(
    events.projectsAudited,
    { workspaceId, actorId: createdBy },
    { action: 'project.created', subjectId: id, detail, at },
  );
}

/** Returns the entry of a change: names of settings and of config keys, without their values. */
export function changedEntry(
  before: LockedProject,
  change: ProjectChange,
  { caller, at }: { readonly caller: Caller; readonly at: Date },
): OutgoingEvent {
  const settings = (['name', 'reference', 'tags', 'schedule', 'timezone', 'retentionDays'] as const).filter(
    (field) => !isDeepStrictEqual(change[field], before[field]),
  );
  const keys = change.config === undefined ? [] : changedKeys(before.config, change.config);
  const restored = change.restoredFrom === undefined ? {} : { restoredFrom: change.restoredFrom };
  const moved = change.seed === undefined || change.seed === before.seed ? {} : { seed: change.seed };
  const detail = { settings, keys, ...moved, ...restored };
  return auditEvent(events.projectsAudited, actedBy(caller), {
    action: 'project.changed',
    subjectId: before.id,
    detail,
    at,
  });
}
