import type { ReactNode } from 'react';
import { compact } from '../../words/format.ts';
import { type Scale, shareOf } from './scale.ts';

interface Props {
  readonly scale: Scale;
  /** Formats a value at a line; by default as a short number. */
  readonly format?: (value: number) => string;
  /** Height of the chart. */
  readonly className?: string;
  /** Labels below the chart, the first at its start and the last at its end. */
  readonly below?: readonly string[];
  /** The labels stand below parts of equal width, in place of the first at the start and the last at the end. */
  readonly isBelowEach?: boolean;
  readonly children: ReactNode;
}

/** The frame of a chart: lines with their values, the chart above them, and labels below. */
export function Axis({
  scale,
  format = compact,
  className = 'h-32',
  below = [],
  isBelowEach = false,
  children,
}: Props) {
  return (
    <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2">
      <div aria-hidden className={`relative min-w-6 text-end text-xs text-muted tabular-nums ${className}`}>
        {scale.ticks.map((tick) => (
          <span
            key={tick}
            className="absolute end-0 -translate-y-1/2 leading-none whitespace-nowrap"
            style={{ top: `${(1 - shareOf(scale, tick)) * 100}%` }}
          >
            {format(tick)}
          </span>
        ))}
        {/* Keeps the width of the longest label. */}
        {scale.ticks.map((tick) => (
          <span key={tick} className="invisible block h-0 whitespace-nowrap">
            {format(tick)}
          </span>
        ))}
      </div>
      <div className={`relative ${className}`}>
        {scale.ticks.map((tick) => (
          <span
            key={tick}
            aria-hidden
            className={`absolute inset-x-0 border-t ${tick === scale.min ? 'border-edge' : 'border-line'}`}
            style={{ top: `${(1 - shareOf(scale, tick)) * 100}%` }}
          />
        ))}
        <div className="absolute inset-0">{children}</div>
      </div>
      <div
        aria-hidden
        className={`col-start-2 mt-1 flex text-xs text-muted tabular-nums ${isBelowEach ? '*:min-w-0 *:flex-1 *:truncate *:text-center' : 'justify-between'}`}
      >
        {below.map((text, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: labels are constant, and two may be equal
          <span key={at}>{text}</span>
        ))}
      </div>
    </div>
  );
}

/** The meaning of the colours of a chart. */
export function Legend({ items }: { items: readonly { readonly text: string; readonly colour: string }[] }) {
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted">
      {items.map(({ text, colour }) => (
        <li key={text} className="flex items-center gap-1.5">
          <span aria-hidden className={`size-2.5 rounded-sm ${colour}`} />
          {text}
        </li>
      ))}
    </ul>
  );
}
