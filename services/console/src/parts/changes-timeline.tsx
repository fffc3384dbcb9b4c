import { Link } from '@tanstack/react-router';
import type { RunSummary } from '@tidemark/sdk';
import { useEffect, useRef } from 'react';
import { date, moment, number } from '../words/format.ts';
import { words } from '../words/words.ts';
import { Axis, Legend } from './charts/axis.tsx';
import { scaleOf } from './charts/scale.ts';
import { Panel } from './panel.tsx';
import { ScrollBox } from './scroll-box.tsx';

const { runs: texts } = words;
const MAX_BARS = 60;
/** Each is 24 px wide: a link must be that large (WCAG 2.5.8). */
const MAX_COMPACT_BARS = 8;
/** Fewer show no course. */
const MIN_COMPACT_BARS = 3;
/** Bars with a label each at most. */
const MAX_LABELLED = 6;
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
  /** Without frame and axis, in the height of a line. */
  readonly isCompact?: boolean;
}

/** Stacked bars of the changes of each run, oldest first; each opens the changes of its run. */
export function ChangesTimeline({ project, runs, shown = new Set(), isCompact = false }: Props) {
  const compared = runs
    .flatMap(({ id, createdAt, changes: made }) => (made?.counts ? [{ id, createdAt, counts: made.counts }] : []))
    .slice(0, isCompact ? MAX_COMPACT_BARS : MAX_BARS)
    .reverse();
  if (compared.length < (isCompact ? MIN_COMPACT_BARS : 2)) return null;
  const totals = compared.map(({ counts }) => counts.added + counts.removed + counts.modified);
  const scale = scaleOf(totals, { from: 'zero', lines: 3 });
  const bars = <Bars project={project} compared={compared} max={scale.max} shown={shown} isCompact={isCompact} />;
  if (isCompact) return <div className="h-8 w-56">{bars}</div>;
  return (
    <Panel
      title={texts.chart}
      actions={<Legend items={KINDS.map(([kind, colour]) => ({ text: texts.kinds[kind], colour }))} />}
      className="mb-4"
    >
      <Axis
        scale={scale}
        className="h-24"
        below={labelsOf(compared.map(({ createdAt }) => createdAt))}
        isBelowEach={compared.length <= MAX_LABELLED}
      >
        {bars}
      </Axis>
    </Panel>
  );
}

/** Returns the labels of bars: the moment of each of a few, the first and the last day of many. */
function labelsOf(times: readonly string[]): string[] {
  if (times.length <= MAX_LABELLED) return times.map(moment);
  return [times[0], times.at(-1)].flatMap((one) => (one === undefined ? [] : [date(one)]));
}

interface BarsProps {
  readonly project: string;
  readonly compared: readonly {
    readonly id: string;
    readonly createdAt: string;
    readonly counts: NonNullable<NonNullable<RunSummary['changes']>['counts']>;
  }[];
  readonly max: number;
  readonly shown: ReadonlySet<string>;
  readonly isCompact: boolean;
}

function Bars({ project, compared, max, shown, isCompact }: BarsProps) {
  const box = useRef<HTMLElement>(null);
  const newest = compared.at(-1)?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new run scrolls the newest bar into view
  useEffect(() => {
    const element = box.current;
    if (element !== null) element.scrollLeft = element.scrollWidth;
  }, [newest]);
  return (
    <ScrollBox ref={box} label={texts.chart} className="h-full overflow-y-hidden">
      <ol className={`flex h-full items-end gap-1 ${isCompact ? 'justify-end' : ''}`}>
        {compared.map(({ id, createdAt, counts }) => {
          const text = `${moment(createdAt)}: ${texts.changeCountsLong(number(counts.added), number(counts.removed), number(counts.modified))}`;
          return (
            <li key={id} className={`flex h-full flex-1 justify-center ${isCompact ? 'max-w-6 min-w-6' : 'min-w-6'}`}>
              <Link
                to="/projects/$project/changes"
                params={{ project }}
                search={{ run: id }}
                title={text}
                aria-label={text}
                aria-current={shown.has(id) ? 'true' : undefined}
                className={`flex h-full w-full max-w-10 flex-col justify-end gap-px rounded-sm hover:bg-hover focus-visible:-outline-offset-2 aria-[current=true]:bg-selected ${isCompact ? 'px-1.5' : ''}`}
              >
                {KINDS.map(([kind, colour]) =>
                  counts[kind] === 0 ? null : (
                    <span
                      key={kind}
                      className={`${colour} first:rounded-t-sm`}
                      style={{ height: `max(2px, ${(counts[kind] / max) * 100}%)` }}
                    />
                  ),
                )}
                {isCompact ? <span className={`h-0.5 shrink-0 ${shown.has(id) ? 'bg-accent' : 'bg-idle'}`} /> : null}
              </Link>
            </li>
          );
        })}
      </ol>
    </ScrollBox>
  );
}
