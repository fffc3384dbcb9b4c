import { useParams, useSearch } from '@tanstack/react-router';
import type { ChangeRecord, RunSummary } from '@tidemark/sdk';
import type { ReactNode } from 'react';
import { useRead } from '../../api/queries.ts';
import { ChangesTimeline } from '../../parts/changes-timeline.tsx';
import { PageHead, Panel } from '../../parts/panel.tsx';
import { Empty, Loaded, Loading } from '../../parts/states.tsx';
import { count, moment } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { Filters } from './filters.tsx';
import { IgnoredBlocks } from './ignored-blocks.tsx';
import { Review } from './review.tsx';
import { SinceReview } from './since-review-view.tsx';
import { Summary } from './summary.tsx';
import { FROM, useChanges } from './use-changes.ts';
import { useReview } from './use-review.ts';

const { changes: texts } = words;

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
  const { one, all } = useReview();
  const { ignored } = useSearch({ from: FROM });
  return (
    <Loaded of={record} isPage>
      {({ pages }) => {
        const [first] = pages;
        if (first === undefined) return <Loading />;
        if (first.status !== 'made') return <Unmade record={first} />;
        const entries = pages.flatMap((page) => page.entries);
        return (
          <Record record={first} runs={runs}>
            {ignored === true ? (
              <IgnoredBlocks record={first} />
            ) : entries.length === 0 ? (
              <Nothing record={first} />
            ) : (
              <Review entries={entries} more={more} one={one} all={all} />
            )}
          </Record>
        );
      }}
    </Loaded>
  );
}

const changed = ({ counts }: ChangeRecord): number =>
  counts === null ? 0 : counts.added + counts.removed + counts.modified;

interface RecordProps {
  readonly record: ChangeRecord;
  readonly runs: readonly RunSummary[];
  readonly children: ReactNode;
}

function Record({ record, runs, children }: RecordProps) {
  const { project } = useParams({ from: FROM });
  const { run } = useSearch({ from: FROM });
  const figure = count(changed(record), 'change', 'changes');
  const chosen = runs.find(({ id }) => id === run);
  const isOlder = chosen !== undefined && chosen.id !== runs.find(({ changes }) => changes?.status === 'made')?.id;
  const title = isOlder ? texts.headingOf(figure, moment(chosen.createdAt)) : texts.heading(figure);
  return (
    <>
      <PageHead title={title} actions={<Filters isOlder={isOlder} />} />
      <Summary record={record} />
      <ChangesTimeline project={project} runs={runs} shown={new Set(record.runId === null ? [] : [record.runId])} />
      {children}
    </>
  );
}

function Unmade({ record: { status, error } }: { record: ChangeRecord }) {
  return (
    <>
      <PageHead title={texts.title} />
      <Panel>
        {status === 'failed' ? (
          <Empty title={texts.failed(error ?? '')} />
        ) : status === 'making' ? (
          <Empty title={texts.building} />
        ) : (
          <Empty title={texts.noRecord} hint={texts.noRecordHint} />
        )}
      </Panel>
    </>
  );
}

function Nothing({ record: { counts } }: { record: ChangeRecord }) {
  const { unreviewed, kind } = useSearch({ from: FROM });
  const isFiltered = unreviewed === true || kind !== undefined;
  return (
    <Panel>
      {isFiltered ? (
        <Empty title={texts.allReviewed} hint={texts.allReviewedHint} />
      ) : (
        <Empty title={texts.none} hint={texts.noneHint(count(counts?.same ?? 0, 'page', 'pages'))} />
      )}
    </Panel>
  );
}
