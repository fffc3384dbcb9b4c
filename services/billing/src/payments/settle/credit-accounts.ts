import type { OutgoingEvent } from '@tidemark/service';
import type pg from 'pg';

/** The credit accounts of workspaces, changed in the transaction of a payment. Every change is made once for its `ref`. */
export interface CreditAccounts {
  setPlan(
    db: pg.PoolClient,
    change: {
      readonly workspaceId: string;
      readonly plan: string;
      readonly ref: string;
      /** When the months of the allowance begin; null for a plan without an allowance. */
      readonly periodStart: Date | null;
      readonly allowanceAdded?: number;
    },
  ): Promise<OutgoingEvent | undefined>;
  addCredits(
    db: pg.PoolClient,
    grant: {
      readonly workspaceId: string;
      readonly kind: 'purchase' | 'refund' | 'adjustment';
      readonly ref: string;
      readonly credits: number;
    },
  ): Promise<boolean>;
  /** Stops overage while a renewal is unpaid. */
  setPastDue(db: pg.PoolClient, workspaceId: string, isPastDue: boolean): Promise<void>;
}
