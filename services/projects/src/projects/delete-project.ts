import { actedBy, type Caller, events } from '@tidemark/contracts';
import { auditEvent, type OutgoingEvent } from '@tidemark/service';
import { noSuchProject } from '../domain/not-found.ts';
import type { ProjectWriter } from '../store/project-writer.ts';

interface DeleteProjectDeps {
  readonly writer: ProjectWriter;
  /** Sends events whose rows are committed. */
  readonly send: (events: readonly OutgoingEvent[]) => void;
  readonly now: () => Date;
}

/** Deletes a project and publishes event.project.deleted; other services then delete its runs and pages. */
export type DeleteProject = (caller: Caller, id: string) => Promise<void>;

export function makeDeleteProject({ writer, send, now }: DeleteProjectDeps): DeleteProject {
  /** @throws AppError not_found */
  return async (caller, id) => {
    const entry = auditEvent(events.projectsAudited, actedBy(caller), {
      action: 'project.deleted',
      subjectId: id,
      at: now(),
    });
    const outgoing = await writer.delete(caller, id, [entry]);
    if (outgoing === undefined) throw noSuchProject();
    send(outgoing);
  };
}
