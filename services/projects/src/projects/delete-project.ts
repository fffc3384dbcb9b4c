import type { Caller } from '@tidemark/contracts';
import type { OutgoingEvent } from '@tidemark/service';
import { noSuchProject } from '../domain/not-found.ts';
import type { ProjectWriter } from '../store/project-writer.ts';

interface DeleteProjectDeps {
  readonly writer: ProjectWriter;
  /** Sends events whose rows are committed. */
  readonly send: (events: readonly OutgoingEvent[]) => void;
}

/** Deletes a project and publishes event.project.deleted; other services then delete its runs and pages. */
export function makeDeleteProject({ writer, send }: DeleteProjectDeps) {
  /** @throws AppError not_found */
  return async (caller: Caller, id: string): Promise<void> => {
    const event = await writer.delete(caller, id);
    if (event === undefined) throw noSuchProject();
    send([event]);
  };
}
