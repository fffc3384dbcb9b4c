import { nothing, route } from '../route.ts';
import { Billing, CapPatch } from '../schemas/billing.ts';

const around = { tag: 'Billing', reach: 'workspace', query: nothing } as const;

const liftsCap = (body: unknown): boolean => {
  const { data } = CapPatch.safeParse(body);
  return data?.cap === 0 || data?.limits?.some(({ credits }) => credits === null) === true;
};

export const billingRoutes = {
  getBilling: route({
    ...around,
    id: 'getBilling',
    method: 'get',
    path: '/me/billing',
    scope: 'read',
    summary: 'Plan, what it includes, credits by kind, spend of the month and the charges behind it',
    description:
      'Spend and charges include those of sub-accounts, whose credits the workspace pays; `GET /orgs/children` lists each. What a deleted sub-account spent remains in the spend of its parent.',
    params: nothing,
    body: nothing,
    responses: { 200: Billing },
  }),
  patchCap: route({
    ...around,
    id: 'patchCap',
    refusals: {
      conflict: 'The workspace is a sub-account: its parent sets the cap. Or it has 500 spend limits.',
    },
    method: 'patch',
    path: '/me/billing/cap',
    scope: 'admin',
    session: { freshCode: (body) => liftsCap(body) },
    summary: 'Set how far past the allowance the workspace may run on overage, and what keys and projects may spend',
    description:
      'Overage is at most `cap` times the allowance in a period. It starts at 1. `limits` sets what a key, a member or a project may spend in a period: that of the plan, or the calendar month (UTC) where the plan has none. Work beyond a limit is refused: 402 `credits_exhausted` names it, and runs stop with `credit_limit`. People with a second factor need a fresh code to remove the cap or a limit.',
    params: nothing,
    body: CapPatch,
    responses: { 200: Billing },
    example: { cap: 2 },
  }),
} as const;
