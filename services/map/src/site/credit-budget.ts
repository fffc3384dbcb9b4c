/** Credits leased at a time: enough for most sites, and few enough not to block other work of the workspace. */
export const LEASE_CREDITS = 50;

export interface Charge {
  readonly id: string;
  readonly credits: number;
}

/** Reserves credits under an id; a repeated id reserves nothing more. @returns the number granted */
export type Lease = (id: string, credits: number) => Promise<number>;

/** The credits of one map. Leases them in steps of `LEASE_CREDITS` as the tree grows; each file that is read costs one. */
export class CreditBudget {
  readonly #chargeId: string;
  readonly #lease: Lease;
  readonly #leases: Charge[] = [];
  #available = 0;
  #spent = 0;
  #isExhausted = false;
  #leasing: Promise<void> | undefined;

  constructor(chargeId: string, lease: Lease) {
    this.#chargeId = chargeId;
    this.#lease = lease;
  }

  /** Takes one credit. @returns false if the workspace has no more */
  async acquire(): Promise<boolean> {
    while (this.#available === 0) {
      if (this.#isExhausted) return false;
      this.#leasing ??= this.#leaseMore().finally(() => {
        this.#leasing = undefined;
      });
      await this.#leasing;
    }
    this.#available -= 1;
    return true;
  }

  /** Spends or returns a credit taken by `acquire`. */
  settle(isSpent: boolean): void {
    if (isSpent) this.#spent += 1;
    else this.#available += 1;
  }

  async #leaseMore(): Promise<void> {
    // Lease ids do not depend on the attempt, so a repeated attempt reuses the leases of the one before.
    const id = this.#leases.length === 0 ? this.#chargeId : `${this.#chargeId}.${this.#leases.length}`;
    const granted = await this.#lease(id, LEASE_CREDITS);
    if (granted === 0) this.#isExhausted = true;
    else this.#leases.push({ id, credits: granted });
    this.#available += granted;
  }

  /** Returns a charge for each lease. A charge of 0 credits releases the whole lease. */
  charges(): Charge[] {
    // The request has taken the first lease before the map began.
    if (this.#leases.length === 0) return [{ id: this.#chargeId, credits: 0 }];
    let remaining = this.#spent;
    return this.#leases.map(({ id, credits }) => {
      const spent = Math.min(remaining, credits);
      remaining -= spent;
      return { id, credits: spent };
    });
  }
}
