import { Link } from '@tanstack/react-router';
import type { RunSummary } from '@tidemark/sdk';
import { useEffect, useRef } from 'react';
import { moment, number } from '../words/format.ts';
import { words } from '../words/frame.ts';
import { Panel } from './panel.tsx';
import { ScrollBox } from './scroll-box.tsx';

const { runs: texts } = words;
const MAX_BARS = 60;
const KINDS = [
  ['added', 'bg-good'],
  ['modified', 'bg-warn'],
  ['removed', 'bg-bad'],
] as const;

interface Props {
  readonly project: string;
  /** Newest first. */
  readonly runs: readonly RunSummary[];
  /** Runs that the page shows. */
  readonly shown?: ReadonlySet<string>;
}

/** Stacked bars of the changes of each run, oldest first; each opens the changes of its run. */
export function ChangesTimeline({ project, runs, shown = new Set() }: Props) {
  const box = useRef<HTMLElement>(null);
  const compared = runs
    .flatMap(({ id, createdAt, changes }) => (changes?.counts ? [{ id, createdAt, counts: changes.counts }] : []))
    .slice(0, MAX_BARS)
    .reverse();
  const newest = compared.at(-1)?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new run scrolls the newest bar into view
  useEffect(() => {
    const element = box.current;
    if (element !== null) element.scrollLeft = element.scrollWidth;
  }, [newest]);
  if (compared.length < 2) return null;
  const max = Math.max(1, ...compared.map(({ counts }) => counts.added + counts.removed + counts.modified));
  return (
    <Panel title={texts.chart} className="mb-4">
      <ScrollBox ref={box} label={texts.chart} className="-m-1 p-1">
        <ol className="flex h-16 items-end gap-1">
          {compared.map(({ id, createdAt, counts }) => {
            const text = `${moment(createdAt)}: ${texts.changeCountsLong(number(counts.added), number(counts.removed), number(counts.modified))}`;
            return (
              <li key={id} className="h-full max-w-10 min-w-6 flex-1">
                <Link
                  to="/projects/$project/changes"
                  params={{ project }}
                  search={{ run: id }}
                  title={text}
                  aria-label={text}
                  aria-current={shown.has(id) ? 'true' : undefined}
                  className="flex h-full flex-col justify-end gap-px rounded-sm hover:bg-hover aria-[current=true]:bg-hover"
                >
                  {KINDS.map(([kind, colour]) =>
                    counts[kind] === 0 ? null : (
                      <span key={kind} className={colour} style={{ height: `${(counts[kind] / max) * 100}%` }} />
                    ),
                  )}
                  <span className={`h-0.5 shrink-0 ${shown.has(id) ? 'bg-accent' : 'bg-idle'}`} />
                </Link>
              </li>
            );
          })}
        </ol>
      </ScrollBox>
    </Panel>
  );
}
