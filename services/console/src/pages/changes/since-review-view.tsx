import type { RunSummary } from '@tidemark/sdk';
import { Empty, Loaded } from '../../parts/states.tsx';
import { words } from '../../words/words.ts';
import { RecordHead } from './record-head.tsx';
import { Review } from './review.tsx';
import type { OpenChange } from './since-review.ts';
import { useReviewPages, useSinceReview } from './use-since-review.ts';

const { changes: texts } = words;
const noMore = () => undefined;

interface Props {
  readonly runs: readonly RunSummary[];
}

/** The changes since the last review: each page once, compared with its reviewed state. */
export function SinceReview({ runs }: Props) {
  const since = useSinceReview(runs);
  return (
    <Loaded of={since} isPage>
      {({ open, shown }) => <OpenChanges runs={runs} open={open} shown={shown} />}
    </Loaded>
  );
}

function OpenChanges({ runs, open, shown }: Props & { open: readonly OpenChange[]; shown: ReadonlySet<string> }) {
  const { marks, one, all } = useReviewPages(open);
  const entries = open.map(({ newest }) => ({ ...newest, reviewed: marks.has(newest.url) }));
  return (
    <>
      <RecordHead
        title={texts.headingReview(words.counts.changedPages(entries.length))}
        runs={runs}
        shown={shown}
        all={entries.length === 0 ? undefined : all}
      />
      {entries.length === 0 ? (
        <Empty title={texts.nothingOpen} hint={texts.nothingOpenHint} />
      ) : (
        <Review
          entries={entries}
          more={noMore}
          one={one}
          all={all}
          openOf={({ url }) => open.find(({ newest }) => newest.url === url)}
        />
      )}
    </>
  );
}
