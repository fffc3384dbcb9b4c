import { useParams, useSearch } from '@tanstack/react-router';
import type { Change, ChangeRecord, RunSummary } from '@tidemark/sdk';
import type { ReactNode } from 'react';
import { useRead } from '../../api/queries.ts';
import { Empty, Loaded, Loading } from '../../parts/states.tsx';
import { moment } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { IgnoredBlocks } from './ignored-blocks.tsx';
import { RecordHead } from './record-head.tsx';
import { Review } from './review.tsx';
import { SinceReview } from './since-review-view.tsx';
import { FROM, useChanges } from './use-changes.ts';
import { useReview } from './use-review.ts';

const { changes: texts } = words;
const NONE_SHOWN: ReadonlySet<string> = new Set();

/** The changes since the previous run or since the last review: reviewed one after another, by keyboard too. */
export function ChangesPage() {
  const { project: id } = useParams({ from: FROM });
  const { since, run } = useSearch({ from: FROM });
  const runs = useRead('GET /projects/{id}/runs', { path: { id }, query: { limit: 60 } });
  const all = runs.data?.data ?? [];
  if (since === 'review' && run === undefined)
    return (
      <Loaded of={runs} isPage>
        {({ data }) => <SinceReview runs={data} />}
      </Loaded>
    );
  return <SinceRun runs={all} />;
}

function SinceRun({ runs }: { runs: readonly RunSummary[] }) {
  const { record, more } = useChanges();
  return (
    <Loaded of={record} isPage>
      {({ pages }) => {
        const [first] = pages;
        if (first === undefined) return <Loading />;
        if (first.status !== 'made') return <Unmade record={first} />;
        return <Made record={first} entries={pages.flatMap((page) => page.entries)} more={more} runs={runs} />;
      }}
    </Loaded>
  );
}

interface MadeProps {
  readonly record: ChangeRecord;
  readonly entries: readonly Change[];
  readonly more: () => void;
  readonly runs: readonly RunSummary[];
}

/** A record that is built: its heading, and its changes or what is shown instead of them. */
function Made({ record, entries, more, runs }: MadeProps) {
  const { one, all } = useReview();
  const { ignored, kind, unreviewed } = useSearch({ from: FROM });
  const isFiltered = kind !== undefined || unreviewed === true;
  const isEmpty = entries.length === 0 && (isFiltered || !hasDoubts(record));
  const counts = isFiltered ? null : record.counts;
  return (
    <>
      <Head record={record} runs={runs} all={entries.length === 0 ? undefined : all} />
      {ignored === true ? (
        <Filling>
          <IgnoredBlocks record={record} />
        </Filling>
      ) : isEmpty ? (
        <Nothing record={record} />
      ) : (
        <Review entries={entries} more={more} one={one} all={all} counts={counts} />
      )}
    </>
  );
}

const hasDoubts = ({ counts }: ChangeRecord): boolean => counts !== null && counts.withheld + counts.unverified > 0;

/** What takes the place of the two panes. */
export const Filling = ({ children }: { children: ReactNode }) => (
  <div className="min-h-0 flex-1 overflow-auto p-4 md:p-6">{children}</div>
);

const changed = ({ counts }: ChangeRecord): number =>
  counts === null ? 0 : counts.added + counts.removed + counts.modified;

interface HeadProps {
  readonly record: ChangeRecord;
  readonly runs: readonly RunSummary[];
  readonly all: (() => void) | undefined;
}

function Head({ record, runs, all }: HeadProps) {
  const { run } = useSearch({ from: FROM });
  const { runId, counts, coverage, digest } = record;
  const figure = words.counts.changes(changed(record));
  const chosen = runs.find(({ id }) => id === run);
  const isOlder = chosen !== undefined && chosen.id !== runs.find(({ changes }) => changes?.status === 'made')?.id;
  return (
    <RecordHead
      title={isOlder ? texts.headingOf(figure, moment(chosen.createdAt)) : texts.heading(figure)}
      isOlder={isOlder}
      runs={runs}
      shown={runId === null ? NONE_SHOWN : new Set([runId])}
      counts={counts}
      coverage={coverage}
      digest={digest}
      all={all}
    />
  );
}

function Unmade({ record: { status, error } }: { record: ChangeRecord }) {
  return (
    <>
      <RecordHead title={texts.title} runs={[]} shown={NONE_SHOWN} />
      <Filling>
        {status === 'failed' ? (
          <Empty title={texts.failed(error ?? '')} scene="away" />
        ) : status === 'making' ? (
          <Empty title={texts.building} />
        ) : (
          <Empty title={texts.noRecord} hint={texts.noRecordHint} scene="first" />
        )}
      </Filling>
    </>
  );
}

function Nothing({ record: { counts } }: { record: ChangeRecord }) {
  const { unreviewed, kind } = useSearch({ from: FROM });
  return (
    <Filling>
      {kind !== undefined ? (
        <Empty title={texts.noneOfKind(texts.kinds[kind])} hint={texts.noneOfKindHint} scene="away" />
      ) : unreviewed === true ? (
        <Empty title={texts.allReviewed} hint={texts.allReviewedHint} />
      ) : (
        <Empty title={texts.none} hint={texts.noneHint(words.counts.pages(counts?.same ?? 0))} />
      )}
    </Filling>
  );
}
