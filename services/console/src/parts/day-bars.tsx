interface Bar {
  readonly key: string;
  readonly value: number;
  /** The value in words: tooltip, and text for screen readers. */
  readonly text: string;
}

/** Bars from the left to the right, scaled to the largest. The same values are a list for screen readers. */
export function DayBars({ bars, label }: { bars: readonly Bar[]; label: string }) {
  const max = Math.max(1, ...bars.map(({ value }) => value));
  return (
    <ol aria-label={label} className="flex h-24 items-end gap-0.5">
      {bars.map(({ key, value, text }) => (
        <li
          key={key}
          title={text}
          className="flex h-full min-w-0 flex-1 flex-col justify-end rounded-sm hover:bg-hover"
        >
          <span
            aria-hidden
            className={`block rounded-t-sm ${value === 0 ? 'bg-idle' : 'bg-accent'}`}
            style={{ height: value === 0 ? 2 : `${Math.max(3, (value / max) * 100)}%` }}
          />
          <span className="sr-only">{text}</span>
        </li>
      ))}
    </ol>
  );
}
