import type { Change } from '@tidemark/sdk';
import { Check } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { pathOf } from '../../parts/site-name.tsx';
import { number } from '../../words/format.ts';
import { words } from '../../words/words.ts';

const { changes: texts } = words;
const COLOURS: Readonly<Record<string, string>> = {
  added: 'text-good',
  removed: 'text-bad',
  modified: 'text-warn',
  template: 'text-warn',
};

interface Props {
  readonly entries: readonly Change[];
  readonly current: string;
  readonly choose: (id: string) => void;
  readonly more: () => void;
}

/** The changed pages. The chosen one stays in view. */
export function ChangeList({ entries, current, choose, more }: Props) {
  const list = useRef<HTMLUListElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another choice scrolls the list
  useEffect(() => {
    list.current?.querySelector('[aria-current=true]')?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  const onScroll = () => {
    const box = list.current;
    if (box !== null && box.scrollTop + box.clientHeight * 2 > box.scrollHeight) more();
  };
  return (
    <ul
      ref={list}
      onScroll={onScroll}
      aria-label={texts.list}
      className="max-h-[70vh] overflow-y-auto rounded-lg border border-line bg-surface"
    >
      {entries.map((entry) => (
        <li
          key={entry.id}
          className="border-t border-line first:border-t-0 [contain-intrinsic-size:auto_56px] [content-visibility:auto]"
        >
          <Entry entry={entry} isCurrent={entry.id === current} choose={choose} />
        </li>
      ))}
    </ul>
  );
}

function Entry({ entry, isCurrent, choose }: { entry: Change; isCurrent: boolean; choose: (id: string) => void }) {
  const { id, url, kind, section, wordsAdded, wordsRemoved, reviewed } = entry;
  const figures = [number(wordsAdded), number(wordsRemoved)] as const;
  return (
    <button
      type="button"
      aria-current={isCurrent}
      onClick={() => choose(id)}
      className="grid w-full grid-cols-[5.5rem_minmax(0,1fr)_auto] items-center gap-2 px-3 py-2 text-start hover:bg-hover focus-visible:-outline-offset-2 aria-[current=true]:bg-hover"
    >
      <span className={COLOURS[kind] ?? 'text-muted'}>{texts.kinds[kind]}</span>
      <span className="min-w-0">
        <span dir="auto" className="block truncate">
          {section === '' ? pathOf(url) : section}
        </span>
        <span dir="ltr" className="block truncate text-xs text-muted">
          {pathOf(url)}
        </span>
      </span>
      <span className="flex items-center gap-2 text-xs text-muted tabular-nums">
        <span aria-hidden>{texts.words(...figures)}</span>
        <span className="sr-only">{texts.wordsLong(...figures)}</span>
        {reviewed ? <Check role="img" aria-label={texts.reviewed} size={14} /> : null}
      </span>
    </button>
  );
}
