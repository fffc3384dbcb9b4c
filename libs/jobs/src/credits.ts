import type { Caller } from '@tidemark/contracts';
import { BillingServiceService as Rpc } from '@tidemark/contracts/billing/v1/billing';
import { AppError } from '@tidemark/errors';
import { Coalescer, type Peer } from '@tidemark/service';

const DEADLINE_MS = 5_000;

export interface CreditRequest {
  /** Names the lease: leasing again under the same id reserves once. */
  readonly id: string;
  readonly workspaceId: string;
  readonly maxCredits: number;
  /** A smaller amount is not granted. */
  readonly minCredits: number;
  /** The key or person that started the work; absent: a schedule. */
  readonly actorId?: string | undefined;
  /** The project that the work is for; absent: none. */
  readonly projectId?: string | undefined;
}

/** Credits granted; 0: refused, by the spend limit of `refusedBy` if it is set. */
export interface CreditGrant {
  readonly granted: number;
  readonly refusedBy?: string | undefined;
}

/** Leases credits at billing, all requests in one call. @returns grants, by id */
export async function leaseCredits(
  billing: Peer,
  requests: readonly CreditRequest[],
): Promise<ReadonlyMap<string, CreditGrant>> {
  const { grants } = await billing.call(
    Rpc.lease,
    { items: [...requests] },
    { requestId: '' },
    { deadlineMs: DEADLINE_MS },
  );
  return new Map(grants.map(({ id, granted, refusedBy }) => [id, { granted, refusedBy }]));
}

/** Makes a function that leases credits; requests of the same moment share a call. */
export function makeLease(billing: Peer): (request: CreditRequest) => Promise<CreditGrant> {
  const calls = new Coalescer<CreditRequest, CreditGrant>(
    async (requests) => {
      const granted = await leaseCredits(billing, requests);
      return requests.map(({ id }) => granted.get(id) ?? { granted: 0 });
    },
    { maxBatch: 100, maxWriters: 4 },
  );
  return (request) => calls.add(request);
}

/**
 * Returns the error of a refused lease. @param refusedBy the key, person or project whose spend limit refused it; absent: the workspace has too
 * few credits
 */
export function creditsRefused({ refusedBy }: CreditGrant, unit: string, least: number): AppError {
  const price = `${unit} costs at least ${least} credit${least === 1 ? '' : 's'}`;
  return new AppError(
    'credits_exhausted',
    refusedBy === undefined
      ? `${price}, and the workspace has fewer that are not reserved for work in progress`
      : `${price}, and the spend limit of ${refusedBy} leaves fewer in this period; PATCH /v1/me/billing/cap raises the limit`,
  );
}

/** Makes a check that refuses work whose first page costs more than the workspace has left. @throws AppError credits_exhausted */
export type RequireCredits = (caller: Caller, least: number, unit: string) => Promise<void>;

export function makeRequireCredits(billing: Peer): RequireCredits {
  return async (caller, least, unit) => {
    const { balance, reserved } = await billing.call(Rpc.balance, {}, { caller, requestId: '' });
    if (balance === undefined || balance - reserved >= least) return;
    const price = `${least} credit${least === 1 ? '' : 's'}`;
    throw new AppError(
      'credits_exhausted',
      `a page of this ${unit} costs at least ${price}, and the workspace has fewer that are not reserved for work in progress`,
    );
  };
}
