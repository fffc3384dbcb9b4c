import { useInfiniteQuery } from '@tanstack/react-query';
import { fillPath, type Sync } from '@tidemark/sdk';
import { RotateCw } from 'lucide-react';
import { useEventStream } from '../../api/event-stream.ts';
import { readList } from '../../api/lists.ts';
import { queryClient, refresh } from '../../api/queries.ts';
import { useCan } from '../../api/session.ts';
import { useWrite } from '../../api/writes.ts';
import { Button } from '../../parts/button.tsx';
import { SyncBadge } from '../../parts/destination-table.tsx';
import { Panel } from '../../parts/panel.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { Empty, Loaded, sentenceOf } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { notify } from '../../parts/toast.tsx';
import { number } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { followedSync, isUnderWay, syncProgressOf, withProgress } from './sync-progress.ts';

const { destinations: texts } = words;
/** Finds syncs that were started elsewhere, ms. */
const REFRESH_MS = 15_000;
const EVENTS = ['progress'] as const;
const listOf = (destination: string) =>
  readList('GET /destinations/{id}/syncs', { path: { id: destination }, query: { limit: 50 } });

/** Follows a sync by its events, and writes its progress into the list of the destination. */
function useLiveSync(destination: string, sync: Sync | undefined): void {
  const poll = () => void refresh('GET /destinations/{id}/syncs');
  const write = (data: unknown) => {
    const progress = syncProgressOf(data);
    if (sync === undefined || progress === undefined) return;
    queryClient.setQueryData(
      listOf(destination).queryKey,
      (list) =>
        list && {
          ...list,
          pages: list.pages.map((page) => ({ ...page, data: withProgress(page.data, sync.id, progress) })),
        },
    );
    // The times of a sync are not in its events.
    if (progress.status !== sync.status) poll();
  };
  useEventStream(sync && fillPath('/v1/syncs/{id}/events', { id: sync.id }), {
    events: EVENTS,
    onEvent: (_, data) => write(data),
    poll,
    onEnd: (data) => {
      write(data);
      void refresh('GET /destinations/{id}/syncs', 'GET /destinations/{id}', 'GET /destinations');
    },
  });
}

/** The syncs of a destination, newest first; those under way show their progress. */
export function Syncs({ destination: id }: { destination: string }) {
  const syncs = useInfiniteQuery({ ...listOf(id), refetchInterval: REFRESH_MS });
  useLiveSync(id, followedSync(syncs.data?.pages.flatMap(({ data }) => data) ?? []));
  return (
    <Panel title={texts.syncs} flush className="mb-4">
      <Loaded of={syncs}>
        {({ pages }) => {
          const rows = pages.flatMap(({ data }) => data);
          if (rows.length === 0) return <Empty title={texts.noSyncs} hint={texts.noSyncsHint} />;
          return (
            <>
              <SyncTable rows={rows} />
              {syncs.hasNextPage ? (
                <div className="p-3">
                  <Button onClick={() => void syncs.fetchNextPage()}>{words.states.more}</Button>
                </div>
              ) : null}
            </>
          );
        }}
      </Loaded>
    </Panel>
  );
}

function SyncTable({ rows }: { rows: readonly Sync[] }) {
  const { syncTitles: titles } = texts;
  return (
    <PlainTable
      label={texts.syncs}
      titles={[titles.status, titles.source, titles.rows, titles.when, titles.took]}
      rows={rows}
      keyOf={({ id }) => id}
      cells={(sync) => {
        const { status, source, rows: figures, createdAt, startedAt } = sync;
        const { read, written, unchanged, deleted, skipped } = figures;
        return [
          <SyncBadge key="status" status={status} />,
          <code key="source" className="text-xs">
            {source.id}
          </code>,
          <span key="rows" className="text-xs tabular-nums">
            {isUnderWay(sync)
              ? texts.rowsRead(number(read))
              : texts.rowsWritten(number(written), number(unchanged), number(deleted))}
            {skipped === 0 ? '' : `, ${texts.rowsSkipped(number(skipped))}`}
          </span>,
          <Time key="when" at={startedAt ?? createdAt} />,
          <Outcome key="outcome" sync={sync} />,
        ];
      }}
    />
  );
}

function Outcome({ sync }: { sync: Sync }) {
  const { status, error, location, warnings, attempts, nextAttemptAt } = sync;
  return (
    <div className="grid justify-items-start gap-1 text-xs">
      {error === null ? null : (
        <p>
          <span className="text-bad">{error.message}</span>
          <span className="block text-muted">{error.hint}</span>
        </p>
      )}
      {status === 'done' && location !== null ? <p>{location}</p> : null}
      {warnings.map((warning) => (
        <p key={warning} className="text-muted">
          {warning}
        </p>
      ))}
      {nextAttemptAt === null ? null : (
        <p className="text-muted">
          {texts.nextAttempt(number(attempts))} <Time at={nextAttemptAt} />
        </p>
      )}
      {status === 'error' || status === 'cancelled' ? <Retry sync={sync} /> : null}
    </div>
  );
}

/** Writes the run of a failed sync again. */
function Retry({ sync: { destinationId: id, projectId, source } }: { sync: Sync }) {
  const canWrite = useCan('write');
  const { send, isSending } = useWrite('POST /destinations/{id}/sync', [
    'GET /destinations/{id}/syncs',
    'GET /destinations',
  ]);
  if (!canWrite || projectId === null || source.kind !== 'run') return null;
  const start = () =>
    void send({ path: { id }, body: { project_id: projectId, run_id: source.id } }).catch((error: Error) =>
      notify(sentenceOf(error), { isBad: true }),
    );
  return (
    <Button onClick={start} disabled={isSending} aria-label={texts.retryOf(source.id)}>
      <RotateCw aria-hidden size={14} />
      {texts.retry}
    </Button>
  );
}
