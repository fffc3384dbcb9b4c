/** The renewal of a claim while its work runs. */
export interface LeaseRenewal {
  /** Renews the lease. @returns false if another claim holds the row, or it has ended */
  readonly renew: () => Promise<boolean>;
  /** Must be well below the lease. */
  readonly everyMs: number;
}

/**
 * Does the work of a claim and renews its lease meanwhile. The signal is aborted when the lease is lost; a late result is discarded by the
 * fence of its statement. A failed renewal is repeated at the next interval.
 */
export async function holdLease<Result>(
  { renew, everyMs }: LeaseRenewal,
  work: (lost: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const lost = new AbortController();
  const timer = setInterval(async () => {
    const isHeld = await renew().catch(() => true);
    if (!isHeld) lost.abort(new Error('the lease was lost to another claim'));
  }, everyMs);
  try {
    return await work(lost.signal);
  } finally {
    clearInterval(timer);
  }
}
