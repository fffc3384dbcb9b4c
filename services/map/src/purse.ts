/** Credits set aside at a time: enough for most sites, little enough for the others the workspace runs. */
export const TRANCHE = 50;

export interface Charge {
  readonly id: string;
  readonly credits: number;
}

/** Sets credits aside under a name; asking again under the same one holds once. @returns how many were granted */
export type Lease = (id: string, want: number) => Promise<number>;

/** The credits of one map: leased in tranches as its tree grows, one for each file read, the rest given back. */
export class Purse {
  readonly #chargeId: string;
  readonly #lease: Lease;
  readonly #tranches: Charge[] = [];
  #free = 0;
  #spent = 0;
  #isEmpty = false;
  #asking: Promise<void> | undefined;

  constructor(chargeId: string, lease: Lease) {
    this.#chargeId = chargeId;
    this.#lease = lease;
  }

  get spent(): number {
    return this.#spent;
  }

  /** Takes one credit in hand. @returns false where the workspace has no more */
  async take(): Promise<boolean> {
    while (this.#free === 0) {
      if (this.#isEmpty) return false;
      this.#asking ??= this.#fill().finally(() => {
        this.#asking = undefined;
      });
      await this.#asking;
    }
    this.#free -= 1;
    return true;
  }

  /** What became of a credit that was taken. */
  settle(isSpent: boolean): void {
    if (isSpent) this.#spent += 1;
    else this.#free += 1;
  }

  async #fill(): Promise<void> {
    // The first tranche carries the charge's own name; the names are the same in every attempt.
    const id = this.#tranches.length === 0 ? this.#chargeId : `${this.#chargeId}.${this.#tranches.length}`;
    const granted = await this.#lease(id, TRANCHE);
    if (granted === 0) this.#isEmpty = true;
    else this.#tranches.push({ id, credits: granted });
    this.#free += granted;
  }

  /** What is charged under each name; a tranche with nothing spent is charged nothing, which gives it back. */
  charges(): Charge[] {
    // Set aside before the map began, and never touched.
    if (this.#tranches.length === 0) return [{ id: this.#chargeId, credits: 0 }];
    let left = this.#spent;
    return this.#tranches.map(({ id, credits }) => {
      const spent = Math.min(left, credits);
      left -= spent;
      return { id, credits: spent };
    });
  }
}
