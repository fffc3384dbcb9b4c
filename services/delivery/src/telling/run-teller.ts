import { ChangeDigestText } from '@tidemark/api';
import { inTransaction, type Logger } from '@tidemark/service';
import type pg from 'pg';
import type { NewMessage } from '../domain/new-message.ts';
import type { AskStore } from './ask-store.ts';
import { enqueueAll } from './enqueue-all.ts';
import type { Fleet } from './fleet.ts';
import type { Digest, People, Queue, RunTold, RunToTell } from './ports.ts';
import { factMessages, finishedMessages, tellsChanges } from './run-messages.ts';
import { runToTell } from './run-to-tell.ts';
import type { TellingClaim, TellingStore } from './telling-store.ts';

/** Entries looked at together. */
const BATCH = 500;
const RENEW_MS = 10_000;
const LATER_MAX_SECONDS = 60;

const KeptDigest = ChangeDigestText.nullable();

/** Whether somebody else tells it by now. */
interface Hold {
  isLost: boolean;
}

export interface RunTellerDeps {
  readonly pool: pg.Pool;
  readonly tellings: TellingStore;
  readonly asks: AskStore;
  /** How long a telling waits for what a model says. */
  readonly digestWaitSeconds: number;
  /** A model is to be asked. */
  readonly toAsk: () => void;
  readonly fleet: Fleet;
  readonly people: People;
  readonly queue: Queue;
  readonly now: () => Date;
  readonly log: Logger;
}

/**
 * Tells projects of their runs: first that one has ended, then its changes, page by page. Whoever goes on with it tells the same. Where a
 * model is to be asked first, the telling is left until it has answered, for so long and no longer.
 */
export class RunTeller {
  readonly #deps: RunTellerDeps;

  constructor(deps: RunTellerDeps) {
    this.#deps = deps;
  }

  /** Tells of the next run that is due. @returns whether there was one */
  async tellNext(): Promise<boolean> {
    const { tellings, log } = this.#deps;
    const claim = await tellings.claim();
    if (claim === undefined) return false;
    const hold: Hold = { isLost: false };
    const renewing = setInterval(() => void this.#renew(claim, hold), RENEW_MS);
    try {
      if (await this.#tell(claim, hold)) await tellings.end(claim);
    } catch (error) {
      log.warn({ err: error, run: claim.run.runId }, 'a run could not be told of; it is gone on with later');
      await tellings.putOff(claim, Math.min(2 ** claim.attempts, LATER_MAX_SECONDS));
    } finally {
      clearInterval(renewing);
    }
    return true;
  }

  /** Where the lease can't be renewed now, the next round tries; every move is fenced by the claim besides. */
  async #renew(claim: TellingClaim, hold: Hold): Promise<void> {
    const isOurs = await this.#deps.tellings.renew(claim).catch(() => true);
    if (!isOurs) hold.isLost = true;
  }

  /** @returns whether it came to its end: not where it waits for a digest, or another tells it by now */
  async #tell(claim: TellingClaim, hold: Hold): Promise<boolean> {
    const { fleet, asks, digestWaitSeconds, toAsk } = this.#deps;
    const toTell = await runToTell(fleet, claim.run);
    if (toTell === undefined) return true;
    if (claim.place === 0) {
      const digest = await this.#digestOf(claim, toTell);
      if (hold.isLost) return false;
      if (digest === undefined) {
        await asks.wait(claim, digestWaitSeconds);
        toAsk();
        return false;
      }
      if (!(await this.#tellEnd(claim, { ...toTell, digest }))) return false;
    }
    const { record, channels } = toTell;
    return record === undefined || !tellsChanges(channels) || this.#tellChanges(claim, toTell, hold);
  }

  /** @returns false where another tells it by now */
  async #tellEnd(claim: TellingClaim, told: RunTold): Promise<boolean> {
    const { fleet, people, now } = this.#deps;
    const { digest } = told;
    if (digest !== null) await fleet.keepDigest(told.workspaceId, told.run, JSON.stringify(digest));
    const messages = [...finishedMessages(told, now()), ...people.chatMessages(told), ...people.mailMessages(told)];
    return this.#keep(claim, 0, messages, (client) => people.keepNotices(client, told));
  }

  /** What a model said; null: nothing, or nobody is to be asked. undefined: it is to be waited for. */
  async #digestOf(claim: TellingClaim, toTell: RunToTell): Promise<Digest | null | undefined> {
    if (claim.digest !== '') return KeptDigest.parse(JSON.parse(claim.digest));
    const known = this.#deps.people.knownDigest(toTell);
    if (known !== undefined || !claim.hasWaited) return known;
    // What comes now comes too late: it is told without.
    await this.#deps.tellings.keepDigest(claim, 'null');
    return null;
  }

  /** @returns false where another tells it by now */
  async #tellChanges(claim: TellingClaim, { workspaceId, channels, run }: RunToTell, hold: Hold): Promise<boolean> {
    const { fleet, now } = this.#deps;
    for (let after = claim.place, isMore = true; isMore; ) {
      if (hold.isLost) return false;
      const page = await fleet.facts(workspaceId, run, after, BATCH);
      const of = { workspaceId, channels, runId: run.runId, at: now() };
      if (page.last <= after) return true;
      if (!(await this.#keep(claim, page.last, factMessages(of, page.events)))) return false;
      ({ last: after, isMore } = page);
    }
    return true;
  }

  /** Queues messages and notes how far they reach, together. @returns false where another tells it by now: then nothing is queued */
  async #keep(
    claim: TellingClaim,
    place: number,
    messages: readonly NewMessage[],
    also?: (client: pg.PoolClient) => Promise<void>,
  ): Promise<boolean> {
    const { pool, tellings, queue } = this.#deps;
    const lanes = await inTransaction(pool, async (client) => {
      if (!(await tellings.reach(client, claim, place))) return undefined;
      const waiting = await enqueueAll(queue, client, messages);
      await also?.(client);
      return waiting;
    });
    if (lanes !== undefined) queue.wake(lanes);
    return lanes !== undefined;
  }
}
