import type { RunSummary } from '@tidemark/sdk';
import { Panel } from '../../parts/panel.tsx';
import { moment, number } from '../../words/format.ts';
import { words } from '../../words/words.ts';

const { runs: texts } = words;
const KINDS = [
  ['added', 'bg-good'],
  ['modified', 'bg-warn'],
  ['removed', 'bg-bad'],
] as const;

/** Stacked bars of the changes of each run, oldest first. */
export function ChangesChart({ runs }: { runs: readonly RunSummary[] }) {
  const shown = runs
    .flatMap(({ id, createdAt, changes }) => (changes?.counts ? [{ id, createdAt, counts: changes.counts }] : []))
    .reverse();
  if (shown.length < 2) return null;
  const max = Math.max(1, ...shown.map(({ counts }) => counts.added + counts.removed + counts.modified));
  return (
    <Panel title={texts.chart} className="mb-4">
      <ol aria-label={texts.chart} className="flex h-16 items-end gap-1">
        {shown.map(({ id, createdAt, counts }) => {
          const text = `${moment(createdAt)}: ${texts.changeCountsLong(number(counts.added), number(counts.removed), number(counts.modified))}`;
          return (
            <li
              key={id}
              title={text}
              className="flex h-full max-w-10 min-w-1 flex-1 flex-col justify-end gap-px rounded-sm hover:bg-hover"
            >
              {KINDS.map(([kind, colour]) =>
                counts[kind] === 0 ? null : (
                  <span
                    key={kind}
                    aria-hidden
                    className={colour}
                    style={{ height: `${(counts[kind] / max) * 100}%` }}
                  />
                ),
              )}
              <span aria-hidden className="h-0.5 shrink-0 bg-idle" />
              <span className="sr-only">{text}</span>
            </li>
          );
        })}
      </ol>
    </Panel>
  );
}
