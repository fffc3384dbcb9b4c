import { leaseCredits } from '@tidemark/jobs';
import type { Peer } from '@tidemark/service';

export interface CreditRequest {
  readonly workspaceId: string;
  /** The key or person that started the run; empty: a schedule. */
  readonly actorId: string;
  readonly projectId: string | undefined;
  readonly captureIds: readonly string[];
  readonly maxCredits: number;
  readonly minCredits: number;
}

/** Leases credits for pages about to be dispatched, in one call. @returns credits granted, by capture; refused pages are absent */
export function makeLeaseCredits(billing: Peer) {
  return async ({ captureIds, ...request }: CreditRequest): Promise<ReadonlyMap<string, number>> => {
    const grants = await leaseCredits(
      billing,
      captureIds.map((id) => ({ id, ...request })),
    );
    return new Map([...grants].filter(([, { granted }]) => granted > 0).map(([id, { granted }]) => [id, granted]));
  };
}
