import type { Child } from '@tidemark/api';
import { textOrEmpty } from '@tidemark/contracts';
import type { Spend } from '@tidemark/contracts/billing/v1/billing';
import type { Actor, Child as WireChild } from '@tidemark/contracts/identity/v1/children';
import { AppError } from '@tidemark/errors';
import { timeOf } from '../../responses/job-envelope.ts';
import { keyOrMember } from '../../responses/month-spend.ts';

/**
 * Translates a sub-account. Without a spend it has spent nothing: its account is opened with its first work. A cap that was set below what was
 * spent leaves nothing.
 */
export function toChild(child: WireChild | undefined, spend: Pick<Spend, 'month' | 'reserved'> | undefined): Child {
  if (child === undefined) throw new AppError('internal', 'identity returned no sub-account');
  const { id, name, cap, suspendedAt, createdAt } = child;
  const { month, reserved } = spend ?? { month: 0, reserved: 0 };
  const left = cap === undefined ? null : Math.max(0, cap - month - reserved);
  return {
    id,
    name,
    cap: cap ?? 0,
    suspended: suspendedAt !== undefined,
    suspendedAt: suspendedAt?.toISOString() ?? null,
    createdAt: timeOf(createdAt),
    spend: { month, left },
  };
}

export const toActor = ({ id, name, calls, lastAt }: Actor) => ({
  ...keyOrMember(id),
  name: textOrEmpty(name),
  calls,
  lastAt: timeOf(lastAt),
});
