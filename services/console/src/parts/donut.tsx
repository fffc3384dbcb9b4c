import { share } from '../words/format.ts';

const RADIUS = 26;
const AROUND = 2 * Math.PI * RADIUS;

/** A share as a ring with its number inside. */
export function Donut({ value, label }: { value: number; label: string }) {
  const text = share(value);
  const ring = { cx: 32, cy: 32, r: RADIUS, fill: 'none', strokeWidth: 8 } as const;
  return (
    <svg viewBox="0 0 64 64" role="img" aria-label={`${label}: ${text}`} className="size-18 shrink-0">
      <circle {...ring} className="stroke-idle" />
      <circle
        {...ring}
        className="stroke-accent"
        strokeDasharray={`${value * AROUND} ${AROUND}`}
        transform="rotate(-90 32 32)"
      />
      <text x="32" y="36" textAnchor="middle" className="fill-ink text-xs font-semibold">
        {text}
      </text>
    </svg>
  );
}
