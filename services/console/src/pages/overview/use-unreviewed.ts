import { useQueries } from '@tanstack/react-query';
import type { ProjectSummary } from '@tidemark/sdk';
import { read } from '../../api/queries.ts';
import type { Attention } from './attention.ts';

/** Projects that are read: those that ran last. */
const MAX_PROJECTS = 12;
/** Changes that are counted for each; further ones are shown as more. */
const MAX_COUNTED = 100;

/** Returns the number of changes to review of the projects that ran last. */
export function useUnreviewed(projects: readonly ProjectSummary[]): Extract<Attention, { kind: 'changes' }>[] {
  const lately = projects
    .filter(({ lastRun }) => lastRun !== null)
    .sort((one, other) => (other.lastRun?.finishedAt ?? '').localeCompare(one.lastRun?.finishedAt ?? ''))
    .slice(0, MAX_PROJECTS);
  const query = { unreviewed: true, limit: MAX_COUNTED };
  const records = useQueries({
    queries: lately.map(({ id }) => read('GET /projects/{id}/changes', { path: { id }, query })),
  });
  return lately.flatMap((project, index) => {
    const record = records[index]?.data;
    if (record === undefined) return [];
    return [{ kind: 'changes', project, open: record.entries.length, isMore: record.cursor !== null } as const];
  });
}
