import { ALL_PROJECTS } from '@tidemark/contracts';
import { deleteWorkspaceRows, type OutgoingEvent } from '@tidemark/service';
import type pg from 'pg';
import type { ProjectWriter } from '../store/project-writer.ts';

const BATCH = 100;

interface Deps {
  readonly pool: pg.Pool;
  readonly writer: Pick<ProjectWriter, 'delete'>;
  /** Sends events whose rows are committed. */
  readonly send: (events: readonly OutgoingEvent[]) => void;
}

/** Deletes the projects of a deleted workspace, each with its event, so that other services delete its runs, pages, records and messages. */
export type DeleteWorkspaceData = (workspaceId: string, isOpen: () => boolean) => Promise<void>;

export function makeDeleteWorkspaceData({ pool, writer, send }: Deps): DeleteWorkspaceData {
  return async (workspaceId, isOpen) => {
    for (;;) {
      const { rows } = await pool.query<{ id: string }>({
        name: 'projects-of-workspace',
        text: 'SELECT id FROM projects WHERE workspace_id = $1 ORDER BY id LIMIT $2',
        values: [workspaceId, BATCH],
      });
      for (const { id } of rows) {
        if (!isOpen()) return;
        send((await writer.delete({ workspaceId, access: ALL_PROJECTS }, id)) ?? []);
      }
      if (rows.length < BATCH) break;
    }
    await deleteWorkspaceRows(pool, workspaceId);
  };
}
