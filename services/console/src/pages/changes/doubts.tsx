import { Link, useParams, useSearch } from '@tanstack/react-router';
import type { Change, ChangeRecord } from '@tidemark/sdk';
import { ChevronRight, EyeOff } from 'lucide-react';
import { Button } from '../../parts/button.tsx';
import { Loaded } from '../../parts/states.tsx';
import { words } from '../../words/words.ts';
import { ChangeRow } from './change-row.tsx';
import { FROM, type useDoubts } from './use-changes.ts';

const { changes: texts, states } = words;
const FOLD =
  'flex w-full items-center gap-2 border-b border-line px-4 py-2.5 text-start text-sm text-muted hover:bg-hover hover:text-ink focus-visible:-outline-offset-2';

interface Props {
  readonly counts: NonNullable<ChangeRecord['counts']>;
  readonly list: ReturnType<typeof useDoubts>;
  readonly isOpen: boolean;
  readonly setOpen: (isOpen: boolean) => void;
  readonly current: string | undefined;
  readonly siteName: string;
  readonly choose: (id: string) => void;
}

/** What is no verdict, below the changes: pages in doubt by their reason, and the number of ignored blocks. */
export function Doubts({ counts, list, isOpen, setOpen, current, siteName, choose }: Props) {
  const doubtful = counts.withheld + counts.unverified;
  return (
    <>
      {doubtful === 0 ? null : (
        <>
          <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)} className={FOLD}>
            <ChevronRight aria-hidden size={16} className={isOpen ? 'rotate-90' : ''} />
            {texts.doubts(words.counts.pages(doubtful))}
          </button>
          {isOpen ? (
            <Loaded of={list.doubts} rows={2}>
              {({ pages }) => (
                <>
                  {byReason(pages.flatMap(({ entries }) => entries)).map(([reason, entries]) => (
                    <Reason key={reason} entries={entries} current={current} siteName={siteName} choose={choose} />
                  ))}
                  {list.doubts.hasNextPage ? (
                    <p className="p-3">
                      <Button onClick={list.more}>{states.more}</Button>
                    </p>
                  ) : null}
                </>
              )}
            </Loaded>
          ) : null}
        </>
      )}
      <IgnoredLink counts={counts} />
    </>
  );
}

const byReason = (entries: readonly Change[]) =>
  Object.entries(Object.groupBy(entries, ({ kind, reason }) => `${kind} ${reason}`)).map(
    ([key, some = []]) => [key, some] as const,
  );

/** The pages with one reason, which is given once. */
function Reason({
  entries,
  current,
  siteName,
  choose,
}: {
  readonly entries: readonly Change[];
  readonly current: string | undefined;
  readonly siteName: string;
  readonly choose: (id: string) => void;
}) {
  const [first] = entries;
  if (first === undefined) return null;
  const title = `${texts.kinds[first.kind]} · ${words.counts.pages(entries.length)}`;
  return (
    <section aria-label={title}>
      <div className="border-b border-line bg-sunken px-4 py-2">
        <h2 className="text-xs font-semibold">{title}</h2>
        <p className="anywhere text-xs text-muted">{first.explanation}</p>
      </div>
      <ul>
        {entries.map((entry) => (
          <li key={entry.id} className="[contain-intrinsic-size:auto_68px] [content-visibility:auto]">
            <ChangeRow change={entry} isCurrent={entry.id === current} siteName={siteName} choose={choose} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The number of ignored blocks of a record, which opens their list. */
function IgnoredLink({ counts }: Pick<Props, 'counts'>) {
  const { project } = useParams({ from: FROM });
  const view = useSearch({ from: FROM });
  if (counts.volatileBlocks === 0) return null;
  return (
    <Link
      to="/projects/$project/changes"
      params={{ project }}
      search={{ ...view, ignored: true, change: undefined }}
      className={FOLD}
    >
      <EyeOff aria-hidden size={16} />
      {texts.ignored.open(words.counts.blocks(counts.volatileBlocks))}
    </Link>
  );
}
