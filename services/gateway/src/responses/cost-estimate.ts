import type { CostEstimate } from '@tidemark/api';
import { BillingServiceService as Rpc } from '@tidemark/contracts/billing/v1/billing';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';

const DEADLINE_MS = 2_000;

/** Makes a function that estimates where credits would come from and what they would cost; null while billing does not answer. */
export function makeCostEstimate(billing: Peer) {
  return async (credits: number, call: CallContext): Promise<CostEstimate | null> => {
    try {
      const { currency = null, ...split } = await billing.call(Rpc.estimateCost, { credits }, call, {
        deadlineMs: DEADLINE_MS,
      });
      return { credits, ...split, currency };
    } catch (error) {
      if (error instanceof AppError && error.code === 'unavailable') return null;
      throw error;
    }
  };
}
