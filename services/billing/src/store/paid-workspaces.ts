import { selectRows } from '@tidemark/sql';
import type pg from 'pg';
import { tables } from './tables.ts';

/** Returns the workspaces whose use counts as use of a workspace: its own id first, then those of its sub-accounts. */
export type PaidWorkspaces = (workspaceId: string) => Promise<string[]>;

export function makePaidWorkspaces({ pool }: { readonly pool: pg.Pool }): PaidWorkspaces {
  return async (workspaceId) => {
    const children = await selectRows(
      pool,
      tables.selectFrom('accounts').select('workspace_id as id').where('payer_id', '=', workspaceId),
    );
    return [workspaceId, ...children.map(({ id }) => id)];
  };
}
