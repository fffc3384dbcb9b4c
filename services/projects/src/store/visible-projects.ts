import { type Caller, projectLimitOf } from '@tidemark/contracts';
import { anyOf } from '@tidemark/sql';
import { tables } from './tables.ts';

/** The projects a caller may see: those of its workspace; only the listed ones if its key has an allow-list. */
export type ProjectVisibility = Pick<Caller, 'workspaceId' | 'access'>;

/** Selects the projects that a caller may see. */
export function selectVisible({ workspaceId, access }: ProjectVisibility) {
  const projects = projectLimitOf(access);
  const all = tables.selectFrom('projects').where('workspace_id', '=', workspaceId);
  return projects === undefined ? all : all.where('id', '=', anyOf(projects));
}
