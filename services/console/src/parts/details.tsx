import type { ReactNode } from 'react';

/** Short values in a row: name above, value below. */
export function Details({ items }: { items: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="mb-4 flex flex-wrap gap-x-8 gap-y-3">
      {items.map(([name, value]) => (
        <div key={name} className="min-w-0">
          <dt className="text-xs text-muted">{name}</dt>
          <dd className="anywhere">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
