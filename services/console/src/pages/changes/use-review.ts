import type { InfiniteData } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import type { Change, ChangeRecord } from '@tidemark/sdk';
import { client } from '../../api/client.ts';
import { keyOf, queryClient, refresh } from '../../api/queries.ts';
import { useWrite, writeOptimistically } from '../../api/writes.ts';
import { pathOf } from '../../parts/site-name.tsx';
import { sentenceOf } from '../../parts/states.tsx';
import { notify } from '../../parts/toast.tsx';
import { words } from '../../words/words.ts';
import { FROM, useChangesRead } from './use-changes.ts';

const { changes: texts } = words;

const marked =
  (id: string, reviewed: boolean) =>
  (data: InfiniteData<ChangeRecord>): InfiniteData<ChangeRecord> => ({
    ...data,
    pages: data.pages.map((page) => ({
      ...page,
      entries: page.entries.map((entry) => (entry.id === id ? { ...entry, reviewed } : entry)),
    })),
  });

export const report = (error: unknown): void => {
  if (error instanceof Error) notify(words.states.failed(sentenceOf(error)), { isBad: true });
};

/** Returns the review of one change, shown at once and with a way back, and of all changes of the record. */
export function useReview() {
  const read = useChangesRead();
  const lists = [read, { ...read, query: { ...read.query, kind: 'doubtful' } }].map((of) => [
    'list',
    ...keyOf('GET /projects/{id}/changes', of),
  ]);
  const { send } = useWrite('POST /projects/{id}/changes/review', ['GET /projects/{id}/changes']);
  const write = async (change: Change, reviewed: boolean): Promise<void> => {
    const body = { path: { ...read.path, change: change.id }, body: { reviewed } };
    const isIn = (key: readonly unknown[]) =>
      queryClient
        .getQueryData<InfiniteData<ChangeRecord>>(key)
        ?.pages.some(({ entries }) => entries.some(({ id }) => id === change.id));
    await writeOptimistically<InfiniteData<ChangeRecord>>({
      key: lists.find(isIn) ?? [],
      change: marked(change.id, reviewed),
      write: () => client.call('POST /projects/{id}/changes/{change}/review', body),
    });
  };
  const one = (change: Change): void => {
    const reviewed = !change.reviewed;
    const undo = () => void write(change, false).catch(report);
    void write(change, reviewed).then(
      () => (reviewed ? notify(texts.reviewedOne(pathOf(change.url)), { undo }) : undefined),
      report,
    );
  };
  const { run_id } = { run_id: undefined, ...read.query };
  const { kind } = useSearch({ from: FROM });
  // Without a kind all entries are marked, those in doubt too: nothing of the record is then left to review.
  const scope = { ...(run_id === undefined ? {} : { run_id }), ...(kind === undefined ? {} : { kind }) };
  const markAll = (reviewed: boolean) => send({ path: read.path, body: { ...scope, reviewed } });
  const all = (): void => {
    const undo = () => void markAll(false).then(() => refresh('GET /projects/{id}/changes'), report);
    void markAll(true).then(
      ({ changed }) => notify(texts.reviewedMany(words.counts.changes(changed)), { undo }),
      report,
    );
  };
  return { one, all };
}
