import { Link } from '@tanstack/react-router';
import { useBilling } from '../api/billing.ts';
import { date } from '../words/format.ts';
import { words } from '../words/frame.ts';

/** How long a plan stays after an unpaid renewal. */
const GRACE_MS = 7 * 24 * 3_600_000;

/** An unpaid renewal, on every page, with the way to pay it. */
export function PastDue() {
  const { subscription } = useBilling() ?? {};
  const since = subscription?.pastDueSince ?? null;
  if (since === null) return null;
  return (
    <p role="status" className="flex flex-wrap items-center gap-x-3 bg-bad-tint px-5 py-2 text-ink">
      {words.pastDue(date(new Date(Date.parse(since) + GRACE_MS).toISOString()))}
      <Link to="/billing" className="underline">
        {words.pastDueAct}
      </Link>
    </p>
  );
}
