import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { Change, ChangeRecord } from '@tidemark/sdk';
import { CheckCheck } from 'lucide-react';
import { useCan } from '../../api/session.ts';
import { Button } from '../../parts/button.tsx';
import { CheckField, Select } from '../../parts/field.tsx';
import { PageHead, Panel } from '../../parts/panel.tsx';
import { Empty, Loaded, Loading } from '../../parts/states.tsx';
import { count } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { ChangeDetail } from './change-detail.tsx';
import { ChangeList } from './change-list.tsx';
import { KINDS } from './changes-view.ts';
import { Summary } from './summary.tsx';
import { FROM, useChanges } from './use-changes.ts';
import { useReview } from './use-review.ts';
import { useReviewKeys } from './use-review-keys.ts';

const { changes: texts } = words;

/** The changes since the previous run: reviewed one after another, by keyboard too. */
export function ChangesPage() {
  const { record, more } = useChanges();
  return (
    <Loaded of={record}>
      {({ pages }) => {
        const [first] = pages;
        return first === undefined ? (
          <Loading />
        ) : (
          <Record record={first} entries={pages.flatMap((page) => page.entries)} more={more} />
        );
      }}
    </Loaded>
  );
}

interface Props {
  readonly record: ChangeRecord;
  readonly entries: readonly Change[];
  readonly more: () => void;
}

const changed = ({ counts }: ChangeRecord): number =>
  counts === null ? 0 : counts.added + counts.removed + counts.modified;

function Record({ record, entries, more }: Props) {
  if (record.status !== 'made') return <Unmade record={record} />;
  return (
    <>
      <PageHead title={texts.heading(count(changed(record), 'change', 'changes'))} actions={<Filters />} />
      <Summary record={record} />
      {entries.length === 0 ? <Nothing record={record} /> : <Review entries={entries} more={more} />}
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

function Filters() {
  const view = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const kinds = [
    { value: '', text: texts.all },
    ...KINDS.map((value) => ({ value, text: texts.kinds[value] })),
  ] as const;
  return (
    <>
      <CheckField
        label={texts.unreviewed}
        checked={view.unreviewed ?? false}
        onChange={(event) =>
          void navigate({ search: { ...view, unreviewed: event.target.checked ? true : undefined } })
        }
      />
      <div className="w-40">
        <Select
          label={texts.filter}
          hideLabel
          value={view.kind ?? ''}
          choices={kinds}
          onValue={(kind) => void navigate({ search: { ...view, kind: kind === '' ? undefined : kind } })}
        />
      </div>
    </>
  );
}

function Review({ entries, more }: Omit<Props, 'record'>) {
  const { project } = useParams({ from: FROM });
  const view = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const canWrite = useCan('write');
  const { one, all } = useReview();
  const at = Math.max(
    0,
    entries.findIndex(({ id }) => id === view.change),
  );
  const current = entries[at];
  const choose = (change: string) => void navigate({ search: { ...view, change }, replace: true, resetScroll: false });
  useReviewKeys({
    move: (step) => {
      const next = entries[at + step];
      if (next === undefined) more();
      else choose(next.id);
    },
    review: () => (current !== undefined && canWrite ? one(current) : undefined),
    reviewAll: () => (canWrite ? all() : undefined),
    open: () => {
      if (current !== undefined)
        void navigate({
          to: '/projects/$project/page',
          params: { project },
          search: { url: current.url, run: current.runId },
        });
    },
  });
  if (current === undefined) return null;
  return (
    <>
      <div className="mb-2 flex flex-wrap items-center justify-between gap-2">
        <p className="text-xs text-muted">{texts.keys}</p>
        {canWrite ? (
          <Button onClick={all} aria-keyshortcuts="Shift+E">
            <CheckCheck aria-hidden size={16} />
            {texts.reviewAll}
          </Button>
        ) : null}
      </div>
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
        <ChangeList entries={entries} current={current.id} choose={choose} more={more} />
        <ChangeDetail key={current.id} change={current} review={one} />
      </div>
    </>
  );
}
