import { useEffect, useState } from 'react';
import { exactMoment, relative } from '../words/format.ts';
import { words } from '../words/frame.ts';

const MINUTE_MS = 60_000;

/** Returns the time now; it changes once a minute. */
function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), MINUTE_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** A time relative to now; the exact time is its tooltip. */
export function Time({ at }: { at: string | null | undefined }) {
  const now = useNow();
  if (at === null || at === undefined) return <span className="text-muted">{words.never}</span>;
  return (
    <time dateTime={at} title={exactMoment(at)} className="whitespace-nowrap">
      {relative(at, now)}
    </time>
  );
}
