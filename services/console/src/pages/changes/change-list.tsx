import { useVirtualizer } from '@tanstack/react-virtual';
import type { Change } from '@tidemark/sdk';
import { type ReactNode, useEffect, useRef } from 'react';
import { words } from '../../words/words.ts';
import { ChangeRow, ROW_PX } from './change-row.tsx';

const { changes: texts } = words;
const AHEAD_ROWS = 6;

interface Props {
  readonly entries: readonly Change[];
  readonly current: string | undefined;
  readonly siteName: string;
  readonly choose: (id: string) => void;
  /** Loads further entries; called when the end comes close. */
  readonly more: () => void;
  /** What follows the changes: those in doubt, the ignored ones. */
  readonly below?: ReactNode;
}

/** The changed pages, of which only those in view are in the document. The chosen one stays in view. */
export function ChangeList({ entries, current, siteName, choose, more, below }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: entries.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    overscan: AHEAD_ROWS,
  });
  const at = entries.findIndex(({ id }) => id === current);
  useEffect(() => {
    if (at >= 0) virtual.scrollToIndex(at, { align: 'auto' });
  }, [at, virtual]);
  const shown = virtual.getVirtualItems();
  const isNearEnd = (shown.at(-1)?.index ?? 0) >= entries.length - 1 - AHEAD_ROWS;
  useEffect(() => {
    if (isNearEnd) more();
  }, [isNearEnd, more]);
  return (
    <div ref={box} className="min-h-0 flex-1 overflow-y-auto overscroll-contain bg-surface">
      <ul aria-label={texts.list} className="relative" style={{ height: virtual.getTotalSize() }}>
        {shown.map(({ index, start }) => {
          const entry = entries[index];
          return entry === undefined ? null : (
            <li
              key={entry.id}
              aria-setsize={entries.length}
              aria-posinset={index + 1}
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${start}px)` }}
            >
              <ChangeRow change={entry} isCurrent={entry.id === current} siteName={siteName} choose={choose} />
            </li>
          );
        })}
      </ul>
      {below}
    </div>
  );
}
