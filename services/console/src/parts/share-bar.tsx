import { number, share } from '../words/format.ts';

export interface Part {
  readonly key: string;
  readonly text: string;
  readonly value: number;
  /** Class of its colour, such as `bg-good`. */
  readonly colour: string;
}

/** A bar of parts in proportion, with each figure below. The figures carry the meaning; the colours repeat it. */
export function ShareBar({ parts, onChoose }: { parts: readonly Part[]; onChoose?: (key: string) => void }) {
  const total = parts.reduce((sum, { value }) => sum + value, 0);
  return (
    <div>
      <div aria-hidden className="flex h-4 gap-0.5 overflow-hidden rounded bg-idle">
        {parts.map(({ key, value, colour }) =>
          value === 0 ? null : (
            <span
              key={key}
              className={`h-full ${colour}`}
              style={{ width: `${(value / Math.max(total, 1)) * 100}%`, minWidth: 3 }}
            />
          ),
        )}
      </div>
      <ul className="mt-3 flex flex-wrap gap-x-8 gap-y-3">
        {parts.map(({ key, text, value, colour }) => {
          const content = (
            <>
              <span className="block text-xl font-semibold tabular-nums">{number(value)}</span>
              <span className="flex items-center gap-1.5 text-xs text-muted">
                <span aria-hidden className={`size-2 rounded-full ${colour}`} />
                {text}
                <span className="sr-only">{total === 0 ? '' : share(value / total)}</span>
              </span>
            </>
          );
          return (
            <li key={key}>
              {onChoose === undefined ? (
                content
              ) : (
                <button type="button" className="text-start hover:underline" onClick={() => onChoose(key)}>
                  {content}
                </button>
              )}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

const COLOURS: Readonly<Record<string, string>> = {
  ok: 'bg-good',
  cached: 'bg-info',
  thin: 'bg-warn',
  blocked: 'bg-bad',
};
/** Returns the parts of a bar of verdicts. */
export const verdictParts = (
  counts: Readonly<Record<string, number>>,
  names: Readonly<Record<string, string>>,
): Part[] =>
  Object.entries(names).map(([key, text]) => ({
    key,
    text,
    value: counts[key] ?? 0,
    colour: COLOURS[key] ?? 'bg-edge',
  }));
