import type { Logger } from '@tidemark/service';
import type { LeaseStore } from '../store/lease-store.ts';
import type { RunConductor } from './run-conductor.ts';

const RENEW_EVERY_MS = 1_500;
const LOOK_EVERY_MS = 500;
const LOOK_AT_WORK_EVERY_MS = 3_000;
/** Time workers have to report the pages they hold; a worker that reconnects later may fetch a page twice. */
const REPORT_WITHIN_MS = 1_000;

export interface KeeperDeps {
  readonly leases: LeaseStore;
  readonly conductorOf: (runId: string) => RunConductor;
  /** When the queue of work was made. */
  readonly workMadeAt: () => Promise<string>;
  /** Has workers report the pages of a run that they hold: those are not offered again. */
  readonly requestPages: (runId: string) => void;
  /** Runs conducted at once. */
  readonly maxRuns: number;
  readonly log: Logger;
}

/** Holds the runs of this process: takes what nobody conducts, keeps the leases, lets go of what isn't ours any more. */
export class RunKeeper {
  readonly #deps: KeeperDeps;
  readonly #held = new Map<string, RunConductor>();
  readonly #timers: readonly NodeJS.Timeout[];
  #isLooking = false;
  #isClosing = false;
  #workMadeAt: string | undefined;

  constructor(deps: KeeperDeps) {
    this.#deps = deps;
    this.#timers = [
      setInterval(() => void this.#renew(), RENEW_EVERY_MS),
      setInterval(() => void this.look(), LOOK_EVERY_MS),
      setInterval(() => void this.#lookAtWork(), LOOK_AT_WORK_EVERY_MS),
    ];
  }

  /** Tells a run's conductor, where it is here, that something has changed. */
  wake(runId: string): void {
    this.#held.get(runId)?.wake();
  }

  /** Takes runs that nobody conducts, as many as there is room for. */
  async look(): Promise<void> {
    if (this.#isLooking || this.#isClosing) return;
    this.#isLooking = true;
    try {
      const taken = await this.#deps.leases.takeOver(this.#deps.maxRuns - this.#held.size);
      for (const id of taken) this.#hold(id);
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'runs could not be looked for; trying again');
    } finally {
      this.#isLooking = false;
    }
  }

  #hold(id: string): void {
    this.#held.get(id)?.letGo();
    const conductor = this.#deps.conductorOf(id);
    this.#held.set(id, conductor);
    void conductor.conduct().finally(() => {
      if (this.#held.get(id) === conductor) this.#held.delete(id);
    });
  }

  /** A queue that was made anew has lost what was offered: what is not in somebody's hands would wait until it counts as lost. */
  async #lookAtWork(): Promise<void> {
    try {
      const madeAt = await this.#deps.workMadeAt();
      const isAnother = this.#workMadeAt !== undefined && this.#workMadeAt !== madeAt;
      this.#workMadeAt = madeAt;
      if (!isAnother) return;
      this.#deps.log.warn('the queue of work was lost; pages on their way are offered again');
      for (const runId of this.#held.keys()) this.#deps.requestPages(runId);
      await new Promise((resolve) => setTimeout(resolve, REPORT_WITHIN_MS));
      for (const conductor of this.#held.values()) conductor.offerAgain();
    } catch (error) {
      this.#deps.log.debug({ err: error }, 'the queue of work could not be looked at; trying again');
    }
  }

  async #renew(): Promise<void> {
    const ids = [...this.#held.keys()];
    if (ids.length === 0) return;
    try {
      const ours = await this.#deps.leases.renew(ids);
      for (const id of ids) if (!ours.has(id)) this.#held.get(id)?.letGo();
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'leases could not be renewed; trying again');
    }
  }

  /** Lets go of every run, for others to take at once. */
  async close(): Promise<void> {
    this.#isClosing = true;
    for (const timer of this.#timers) clearInterval(timer);
    const ids = [...this.#held.keys()];
    for (const conductor of this.#held.values()) conductor.letGo();
    if (ids.length > 0) await this.#deps.leases.release(ids).catch(() => undefined);
  }
}
