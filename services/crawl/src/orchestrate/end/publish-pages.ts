import type { OutgoingEvent } from '@tidemark/service';
import type pg from 'pg';
import type { Run } from '../../domain/run/run.ts';
import { writeNextPages } from '../../store/pages/run-page-events.ts';
import type { RunStore } from '../../store/runs/run-store.ts';

interface PublishPagesDeps {
  readonly pool: pg.Pool;
  readonly runs: Pick<RunStore, 'get'>;
  /** Sends events whose rows are committed. */
  readonly sendEvents: (events: readonly OutgoingEvent[]) => void;
}

/**
 * Publishes all pages of an ended run with their link counts, in events of bounded size. Does nothing for a run without a project. Safe to repeat.
 * @returns the project they were published for
 */
export function makePublishPages({ pool, runs, sendEvents }: PublishPagesDeps) {
  return async ({ id }: Run): Promise<string | undefined> => {
    // Loaded again: the run may have been adopted, and its sitemap read, since its orchestration began.
    const run = await runs.get(id);
    if (run?.projectId === undefined) return undefined;
    const { no, workspaceId, projectId, sitemap } = run;
    const of = { id, workspaceId, projectId, no, sitemap };
    for (let after = 0; ; ) {
      const written = await writeNextPages(pool, { run: of, occasion: 'final', after });
      if (written === undefined) return projectId;
      sendEvents([written.event]);
      after = written.last;
    }
  };
}
