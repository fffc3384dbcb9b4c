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
}

/** Leases credits at billing, all requests in one call. @returns credits granted, by id; refused requests are absent */
export async function leaseCredits(
  billing: Peer,
  requests: readonly CreditRequest[],
): Promise<ReadonlyMap<string, number>> {
  const { grants } = await billing.call(
    Rpc.lease,
    { items: [...requests] },
    { requestId: '' },
    { deadlineMs: DEADLINE_MS },
  );
  return new Map(grants.filter(({ granted }) => granted > 0).map(({ id, granted }) => [id, granted]));
}

/** Makes a function that leases credits; requests of the same moment share a call. @returns credits granted; 0 where refused */
export function makeLeaseCredits(billing: Peer): (request: CreditRequest) => Promise<number> {
  const calls = new Coalescer<CreditRequest, number>(
    async (requests) => {
      const granted = await leaseCredits(billing, requests);
      return requests.map(({ id }) => granted.get(id) ?? 0);
    },
    { maxBatch: 100, maxWriters: 4 },
  );
  return (request) => calls.add(request);
}

/** Makes a check that refuses work whose first page costs more than the workspace has left. @throws AppError credits_exhausted */
export function makeRequireCredits(billing: Peer) {
  return async (caller: Caller, least: number, unit: string): Promise<void> => {
    const { balance, reserved } = await billing.call(Rpc.balance, {}, { caller, requestId: '' });
    if (balance === undefined || balance - reserved >= least) return;
    const price = `${least} credit${least === 1 ? '' : 's'}`;
    throw new AppError(
      'credits_exhausted',
      `a page of this ${unit} costs at least ${price}, and the workspace has fewer that are not reserved for work in progress`,
    );
  };
}
