import { nothing, route } from '../route.ts';
import { Billing, CapPatch } from '../schemas/billing.ts';

const around = { tag: 'Billing', reach: 'workspace', query: nothing } as const;

const liftsCap = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && Reflect.get(body, 'cap') === 0;

export const billingRoutes = {
  getBilling: route({
    ...around,
    id: 'getBilling',
    method: 'get',
    path: '/me/billing',
    scope: 'read',
    summary: 'Plan, what it includes, credits by kind, spend of the month and the charges behind it',
    params: nothing,
    body: nothing,
    responses: { 200: Billing },
  }),
  patchCap: route({
    ...around,
    id: 'patchCap',
    refusals: { conflict: 'The workspace is a sub-account: its parent sets the cap.' },
    method: 'patch',
    path: '/me/billing/cap',
    scope: 'admin',
    session: { freshCode: (body) => liftsCap(body) },
    summary: 'Set how far past the allowance the workspace may run on overage',
    description:
      'Overage is at most `cap` times the allowance in a period. It starts at 1. People with a second factor need a fresh code to remove the cap.',
    params: nothing,
    body: CapPatch,
    responses: { 200: Billing },
    example: { cap: 2 },
  }),
} as const;
