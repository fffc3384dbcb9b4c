import { useQuery } from '@tanstack/react-query';
import type { ProjectSummary } from '@tidemark/sdk';
import { queryClient, read } from '../../api/queries.ts';
import type { Attention } from './attention.ts';

/** Projects that are read: those that ran last. */
const MAX_PROJECTS = 12;
/** Changes that are counted for each; further ones are shown as more. */
const MAX_COUNTED = 100;
const QUERY = { unreviewed: true, limit: MAX_COUNTED } as const;

type Unreviewed = Extract<Attention, { kind: 'changes' }>;

/** Returns the number of changes to review of the projects that ran last; undefined until they are counted. */
export function useUnreviewed(projects: readonly ProjectSummary[]): readonly Unreviewed[] | undefined {
  const lately = projects
    .filter(({ lastRun }) => lastRun !== null)
    .sort((one, other) => (other.lastRun?.finishedAt ?? '').localeCompare(one.lastRun?.finishedAt ?? ''))
    .slice(0, MAX_PROJECTS);
  const ids = lately.map(({ id }) => id);
  const { data: records } = useQuery({
    queryKey: ['unreviewed', ids],
    enabled: ids.length > 0,
    // A project whose record can not be read is left out.
    queryFn: () =>
      Promise.all(
        ids.map((id) =>
          queryClient.fetchQuery(read('GET /projects/{id}/changes', { path: { id }, query: QUERY })).catch(() => null),
        ),
      ),
  });
  if (ids.length === 0) return [];
  return records?.flatMap((record, index) => {
    const project = lately[index];
    if (record === null || project === undefined) return [];
    return [{ kind: 'changes', project, open: record.entries.length, isMore: record.cursor !== null }];
  });
}
