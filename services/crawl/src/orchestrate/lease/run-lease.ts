import type { LeaseStore } from '../../store/leases/lease-store.ts';

/** The lease of one run, from the view of the orchestrator that drives the run. */
export class RunLease {
  readonly #leases: LeaseStore;
  readonly #runId: string;
  #isHeld = true;

  constructor(leases: LeaseStore, runId: string) {
    this.#leases = leases;
    this.#runId = runId;
  }

  /** False once this instance knowingly lost the lease. The database still rejects writes of an instance that has not noticed the loss. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  markLost(): void {
    this.#isHeld = false;
  }

  /** Releases the lease, so that any instance can claim the run. */
  async release(): Promise<void> {
    await this.#leases.release([this.#runId]);
  }
}
