import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { Change, ChangeRecord } from '@tidemark/sdk';
import { useCallback, useState } from 'react';
import { useCan } from '../../api/session.ts';
import { siteNameIn } from '../../parts/site-name-in.ts';
import { useMedia } from '../../parts/use-media.ts';
import { words } from '../../words/words.ts';
import { ChangeDetail } from './change-detail.tsx';
import { ChangeList } from './change-list.tsx';
import { Doubts } from './doubts.tsx';
import type { OpenChange } from './since-review.ts';
import { FROM, useDoubts } from './use-changes.ts';
import { useReviewKeys } from './use-review-keys.ts';

const { changes: texts } = words;
/** Narrower windows show the list, and the chosen change over it (tailwind's `lg`). */
const NARROW = '(width < 64rem)';

interface Props {
  readonly entries: readonly Change[];
  readonly more: () => void;
  /** Marks a change as reviewed, or takes its mark back. */
  readonly one: (change: Change) => void;
  readonly all: () => void;
  /** The changes of the page in several runs. */
  readonly openOf?: (change: Change) => OpenChange | undefined;
  /** Counts of the record, of which those in doubt and the ignored ones are shown below the changes. */
  readonly counts?: ChangeRecord['counts'];
}

/** The list of changes and the chosen one, with the keys of the review. */
export function Review({ entries, more, one, all, openOf, counts = null }: Props) {
  const { project } = useParams({ from: FROM });
  const view = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const canWrite = useCan('write');
  const isNarrow = useMedia(NARROW);
  const [isOpen, setOpen] = useState(entries.length === 0);
  const doubts = useDoubts(isOpen && counts !== null);
  const doubtful = isOpen ? (doubts.doubts.data?.pages.flatMap((page) => page.entries) ?? []) : [];
  const shown = [...entries, ...doubtful];
  const chosen = shown.findIndex(({ id }) => id === view.change);
  const at = Math.max(0, chosen);
  const current = shown[at];
  const siteName = siteNameIn(entries.map(({ title }) => title));
  const isOver = isNarrow && chosen >= 0;
  const choose = useCallback(
    (change: string | undefined) =>
      void navigate({ search: (was) => ({ ...was, change }), replace: !isNarrow, resetScroll: false }),
    [navigate, isNarrow],
  );
  useReviewKeys({
    move: (step) => {
      const next = shown[at + step];
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
    close: () => (isOver ? choose(undefined) : undefined),
  });
  return (
    <div className="grid min-h-0 flex-1 grid-cols-1 grid-rows-1 lg:grid-cols-[minmax(22rem,2fr)_minmax(0,3fr)]">
      <section aria-label={texts.list} inert={isOver} className="flex min-h-0 flex-col border-line lg:border-e">
        <ChangeList
          entries={entries}
          current={isNarrow && !isOver ? undefined : current?.id}
          siteName={siteName}
          choose={choose}
          more={more}
          below={
            counts === null ? null : (
              <Doubts
                counts={counts}
                list={doubts}
                isOpen={isOpen}
                setOpen={setOpen}
                current={current?.id}
                siteName={siteName}
                choose={choose}
              />
            )
          }
        />
        <p className="border-t border-line bg-surface px-4 py-1.5 text-xs text-muted max-lg:hidden">{texts.keys}</p>
      </section>
      {current === undefined || (isNarrow && !isOver) ? null : (
        <ChangeDetail
          key={current.id}
          change={current}
          siteName={siteName}
          open={openOf?.(current)}
          review={one}
          close={isNarrow ? () => choose(undefined) : undefined}
        />
      )}
    </div>
  );
}
