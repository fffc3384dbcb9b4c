import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { Change } from '@tidemark/sdk';
import { CheckCheck } from 'lucide-react';
import { useCan } from '../../api/session.ts';
import { Button } from '../../parts/button.tsx';
import { words } from '../../words/words.ts';
import { ChangeDetail } from './change-detail.tsx';
import { ChangeList } from './change-list.tsx';
import type { OpenChange } from './since-review.ts';
import { FROM } from './use-changes.ts';
import { useReviewKeys } from './use-review-keys.ts';

const { changes: texts } = words;

interface Props {
  readonly entries: readonly Change[];
  readonly more: () => void;
  /** Marks a change as reviewed, or takes its mark back. */
  readonly one: (change: Change) => void;
  readonly all: () => void;
  /** The changes of the page in several runs. */
  readonly openOf?: (change: Change) => OpenChange | undefined;
}

/** The list of changes and the chosen one, with the keys of the review. */
export function Review({ entries, more, one, all, openOf }: Props) {
  const { project } = useParams({ from: FROM });
  const view = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const canWrite = useCan('write');
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
        <ChangeDetail key={current.id} change={current} open={openOf?.(current)} review={one} />
      </div>
    </>
  );
}
