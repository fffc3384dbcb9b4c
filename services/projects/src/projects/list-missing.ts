import type { Caller } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import type { ProjectStore } from '../store/project-store.ts';

const MAX_IDS = 1_000;

/** Lists which ids are no projects that the caller may see, in their order. */
export type ListMissing = (caller: Caller, ids: readonly string[]) => Promise<string[]>;

export function makeListMissing(projects: Pick<ProjectStore, 'versions'>): ListMissing {
  /** @throws AppError validation */
  return async (caller, ids) => {
    if (ids.length > MAX_IDS) throw new AppError('validation', `ids: expected at most ${MAX_IDS}, got ${ids.length}`);
    const known = await projects.versions(caller, ids);
    return [...new Set(ids)].filter((id) => !known.has(id));
  };
}
