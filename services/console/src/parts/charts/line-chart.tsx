import { date } from '../../words/format.ts';
import { Axis } from './axis.tsx';
import { scaleOf, shareOf } from './scale.ts';

export interface Point {
  /** Time of the measurement. */
  readonly at: string;
  readonly value: number;
  /** The value and its time in words: tooltip, and text for screen readers. */
  readonly text: string;
}

interface Props {
  readonly label: string;
  /** Oldest first. */
  readonly points: readonly Point[];
  /** Formats a value at the axis. */
  readonly format?: (value: number) => string;
}

/** A value over time. It holds until the next measurement, so that the line has steps. The points are a list for screen readers. */
export function LineChart({ label, points, format }: Props) {
  const scale = scaleOf(
    points.map(({ value }) => value),
    { from: 'lowest', lines: 3 },
  );
  const times = points.map(({ at }) => Date.parse(at));
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const placed = points.map((point, at) => ({
    ...point,
    x: last === first ? 50 : (((times[at] ?? first) - first) / (last - first)) * 100,
    y: (1 - shareOf(scale, point.value)) * 100,
  }));
  const line = placed.map(({ x, y }, at) => `${at === 0 ? 'M' : 'H'}${x}${at === 0 ? ' ' : 'V'}${y}`).join('');
  const ends = [points[0], points.at(-1)].flatMap((point) => (point === undefined ? [] : [date(point.at)]));
  return (
    <Axis scale={scale} {...(format === undefined ? {} : { format })} below={points.length < 2 ? ends.slice(1) : ends}>
      <svg aria-hidden viewBox="0 0 100 100" preserveAspectRatio="none" className="size-full overflow-visible">
        <path d={line} fill="none" strokeWidth="2" vectorEffect="non-scaling-stroke" className="stroke-accent" />
      </svg>
      <ol aria-label={label}>
        {placed.map(({ at, text, x, y }) => (
          <li
            key={at}
            title={text}
            className="absolute size-2.5 -translate-1/2 rounded-full border-2 border-surface bg-accent"
            style={{ left: `${x}%`, top: `${y}%` }}
          >
            <span className="sr-only">{text}</span>
          </li>
        ))}
      </ol>
    </Axis>
  );
}
