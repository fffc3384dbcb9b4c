import { AppError } from '@tidemark/errors';
import type { Buyer } from '../../documents/document.ts';
import type { Seller } from '../../documents/seller.ts';
import { audited, type RequestedBy } from '../audited.ts';
import type { Customer } from '../port/gateway.ts';
import { NO_DETAILS } from '../settle/apply-refund.ts';
import type { DetailsStore } from '../store/details-store.ts';

/** Stores the details of a request, and returns those that apply. @throws AppError validation where the tax requires details and none are known */
export type BuyerOf = (by: RequestedBy, given: Buyer | undefined) => Promise<Buyer>;

export function makeBuyerOf({ details, seller }: { readonly details: DetailsStore; readonly seller: Seller }): BuyerOf {
  return async (by, given) => {
    const { workspaceId } = by;
    if (given !== undefined)
      await details.save(workspaceId, given, audited(by, 'billing_details.changed', workspaceId));
    const stored = given ?? (await details.find(workspaceId));
    if (stored === undefined && seller.tax.kind !== 'none')
      throw new AppError(
        'validation',
        'billing_details: expected name, address and country of the buyer, because they decide the tax',
      );
    return stored ?? NO_DETAILS;
  };
}

/** Returns the customer of a workspace at the gateway. */
export const customerOf = (workspaceId: string, { legalName, email }: Buyer): Customer => ({
  workspaceId,
  name: legalName === '' ? workspaceId : legalName,
  email: email === '' ? `${workspaceId}@customers.invalid` : email,
});
