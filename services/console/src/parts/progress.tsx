import { number } from '../words/format.ts';

/** A bar of finished parts with its figures. */
export function Progress({ label, done, total }: { label: string; done: number; total: number }) {
  const max = Math.max(total, done, 1);
  return (
    <div className="mt-1 flex items-center gap-3">
      <progress aria-label={label} value={done} max={max} className="progress h-1.5 min-w-0 flex-1" />
      <span className="text-xs text-muted tabular-nums">
        {number(done)} / {number(total)}
      </span>
    </div>
  );
}
