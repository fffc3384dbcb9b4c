import { useQueries } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import type { RunSummary } from '@tidemark/sdk';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { read } from '../../api/queries.ts';
import { pathOf } from '../../parts/site-name.tsx';
import { notify } from '../../parts/toast.tsx';
import { words } from '../../words/words.ts';
import { idsByRun, mergeOpen, type OpenChange, sinceLastReview } from './since-review.ts';
import { FROM } from './use-changes.ts';
import { report } from './use-review.ts';

const { changes: texts } = words;
/** Records that are read at most. */
const MAX_RECORDS = 10;
const MAX_ENTRIES = 500;

const hasChanges = ({ changes }: RunSummary): boolean => {
  const counts = changes?.counts;
  return counts !== null && counts !== undefined && counts.added + counts.removed + counts.modified > 0;
};

/** Loads the changes since the last review, each page once. */
export function useSinceReview(runs: readonly RunSummary[]) {
  const { project: id } = useParams({ from: FROM });
  const { kind } = useSearch({ from: FROM });
  const changed = runs.filter(hasChanges).slice(0, MAX_RECORDS);
  const records = useQueries({
    queries: changed.map(({ id: run }) =>
      read('GET /projects/{id}/changes', {
        path: { id },
        query: { run_id: run, unreviewed: true, limit: MAX_ENTRIES, kind: 'changed' },
      }),
    ),
  });
  const error = records.find((one) => one.error !== null)?.error ?? null;
  const refetch = () => Promise.all(records.map((one) => one.refetch()));
  const loaded = records.flatMap(({ data }) => (data === undefined ? [] : [data]));
  if (loaded.length < changed.length) return { data: undefined, error, refetch };
  const since = sinceLastReview(loaded);
  const open = mergeOpen(since).filter(({ newest }) => kind === undefined || newest.kind === kind);
  const shown = new Set(since.flatMap(({ runId }) => (runId === null ? [] : [runId])));
  return { data: { open, shown }, error, refetch };
}

/** Returns the review of pages over several records. A reviewed page stays in the list until it is loaded again. */
export function useReviewPages(open: readonly OpenChange[]) {
  const { project: id } = useParams({ from: FROM });
  const [marks, setMarks] = useState<ReadonlySet<string>>(new Set());
  const mark = (urls: readonly string[], reviewed: boolean) =>
    setMarks((was) => new Set(reviewed ? [...was, ...urls] : [...was].filter((url) => !urls.includes(url))));
  const write = async (pages: readonly OpenChange[], reviewed: boolean): Promise<void> => {
    const urls = pages.map(({ newest }) => newest.url);
    mark(urls, reviewed);
    const byRun = new Map<string, string[]>();
    for (const page of pages)
      for (const [run, ids] of idsByRun(page)) byRun.set(run, [...(byRun.get(run) ?? []), ...ids]);
    try {
      for (const [run_id, change_ids] of byRun)
        await client.call('POST /projects/{id}/changes/review', {
          path: { id },
          body: { run_id, change_ids, reviewed },
        });
    } catch (error) {
      mark(urls, !reviewed);
      throw error;
    }
  };
  const review = (pages: readonly OpenChange[], text: string): void => {
    const undo = () => void write(pages, false).catch(report);
    void write(pages, true).then(() => notify(text, { undo }), report);
  };
  const one = (change: { readonly url: string }): void => {
    const page = open.find(({ newest }) => newest.url === change.url);
    if (page === undefined) return;
    if (marks.has(change.url)) void write([page], false).catch(report);
    else review([page], texts.reviewedOne(pathOf(change.url)));
  };
  const all = (): void => review(open, texts.reviewedMany(words.counts.pages(open.length)));
  return { marks, one, all };
}
