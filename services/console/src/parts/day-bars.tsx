import { number } from '../words/format.ts';
import { Axis } from './charts/axis.tsx';
import { scaleOf } from './charts/scale.ts';

interface Bar {
  readonly key: string;
  readonly value: number;
  /** The value in words: tooltip, and text for screen readers. */
  readonly text: string;
  /** Its label below the axis. Of many bars some labels are shown. */
  readonly label?: string;
}

/** Labels below the chart at most. */
const MAX_LABELS = 6;
/** Values stand above their bars if there are at most so many values. */
const MAX_VALUES = 12;

/** Returns labels at equal distances, the first and the last among them. */
function labelsOf(bars: readonly Bar[]): string[] {
  const labels = bars.map(({ label = '' }) => label);
  const step = Math.max(1, (labels.length - 1) / (MAX_LABELS - 1));
  const places = new Set(
    Array.from({ length: MAX_LABELS }, (_, at) => Math.min(labels.length - 1, Math.round(at * step))),
  );
  return [...places].flatMap((at) => labels[at] ?? []);
}

/** Bars over time, with an axis. The same values are a list for screen readers. */
export function DayBars({ bars, label }: { bars: readonly Bar[]; label: string }) {
  const scale = scaleOf(
    bars.map(({ value }) => value),
    { from: 'zero' },
  );
  const withValues = bars.filter(({ value }) => value > 0).length <= MAX_VALUES;
  return (
    // The space above is for the value of the highest bar.
    <div className="pt-4">
      <Axis scale={scale} below={labelsOf(bars)}>
        <ol aria-label={label} className="flex h-full items-end gap-0.5">
          {bars.map(({ key, value, text }) => (
            <li
              key={key}
              title={text}
              className="relative flex h-full min-w-0 flex-1 flex-col justify-end rounded-sm hover:bg-hover"
            >
              {value > 0 && withValues ? (
                <span aria-hidden className="mx-auto text-xs leading-4 text-muted tabular-nums">
                  {number(value)}
                </span>
              ) : null}
              <span
                aria-hidden
                className="mx-auto block w-full max-w-8 rounded-t-sm bg-accent"
                style={{ height: value === 0 ? 0 : `max(2px, ${(value / scale.max) * 100}%)` }}
              />
              <span className="sr-only">{text}</span>
            </li>
          ))}
        </ol>
      </Axis>
    </div>
  );
}
