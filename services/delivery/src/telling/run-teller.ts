import { inTransaction, type Logger } from '@tidemark/service';
import type pg from 'pg';
import { z } from 'zod';
import type { NewMessage } from '../domain/new-message.ts';
import { enqueueAll } from './enqueue-all.ts';
import type { Fleet } from './fleet.ts';
import type { Digest, People, Queue, RunToTell } from './ports.ts';
import { factMessages, finishedMessages, tellsChanges } from './run-messages.ts';
import type { TellingClaim, TellingStore } from './telling-store.ts';

/** Entries looked at together. */
const BATCH = 500;
const RENEW_MS = 10_000;
const LATER_MAX_SECONDS = 60;

const KeptDigest: z.ZodType<Digest | null> = z
  .object({ summary: z.string(), points: z.array(z.string()), significant: z.boolean() })
  .nullable();

export interface RunTellerDeps {
  readonly pool: pg.Pool;
  readonly tellings: TellingStore;
  readonly fleet: Fleet;
  readonly people: People;
  readonly queue: Queue;
  readonly now: () => Date;
  readonly log: Logger;
}

/** Tells projects of their runs: first that one has ended, then its changes, page by page. Whoever goes on with it tells the same. */
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
    const renewing = setInterval(() => void tellings.renew(claim).catch(() => undefined), RENEW_MS);
    try {
      await this.#tell(claim);
      await tellings.end(claim);
    } catch (error) {
      log.warn({ err: error, run: claim.run.runId }, 'a run could not be told of; it is gone on with later');
      await tellings.putOff(claim, Math.min(2 ** claim.attempts, LATER_MAX_SECONDS));
    } finally {
      clearInterval(renewing);
    }
    return true;
  }

  async #tell(claim: TellingClaim): Promise<void> {
    const { run, place } = claim;
    const { workspaceId, projectId, runId } = run;
    const { fleet } = this.#deps;
    const channels = await fleet.channels(workspaceId, projectId);
    if (channels === undefined) return;
    const found = await fleet.record(workspaceId, projectId, runId);
    const record = found?.record?.status === 'made' ? found.record : undefined;
    const entries = record === undefined ? [] : (found?.entries ?? []);
    const toTell: RunToTell = { kind: 'run', workspaceId, channels, run, record, entries };
    if (place === 0 && !(await this.#tellEnd(claim, toTell))) return;
    if (record !== undefined && tellsChanges(channels)) await this.#tellChanges(claim, toTell);
  }

  /** @returns false where another tells it by now */
  async #tellEnd(claim: TellingClaim, toTell: RunToTell): Promise<boolean> {
    const { fleet, people, now } = this.#deps;
    const digest = await this.#digestOf(claim, toTell);
    if (digest !== null) await fleet.keepDigest(toTell.workspaceId, toTell.run, JSON.stringify(digest));
    const told = { ...toTell, digest };
    const messages = [...finishedMessages(told, now()), ...people.chatMessages(told), ...people.mailMessages(told)];
    return this.#keep(claim, 0, messages, (client) => people.keepNotices(client, told));
  }

  /** What the model said: it is asked once, however often the telling is begun. */
  async #digestOf(claim: TellingClaim, toTell: RunToTell): Promise<Digest | null> {
    if (claim.digest !== '') return KeptDigest.parse(JSON.parse(claim.digest));
    const digest = await this.#deps.people.composeDigest(toTell);
    await this.#deps.tellings.keepDigest(claim, JSON.stringify(digest));
    return digest;
  }

  async #tellChanges(claim: TellingClaim, { workspaceId, channels, run }: RunToTell): Promise<void> {
    const { fleet, now } = this.#deps;
    for (let after = claim.place, isMore = true; isMore; ) {
      const page = await fleet.facts(workspaceId, run, after, BATCH);
      const of = { workspaceId, channels, runId: run.runId, at: now() };
      if (page.last <= after) return;
      if (!(await this.#keep(claim, page.last, factMessages(of, page.facts)))) return;
      ({ last: after, isMore } = page);
    }
  }

  /** Queues messages and notes how far they reach, together. @returns false where another tells it by now: then nothing is queued */
  async #keep(
    claim: TellingClaim,
    place: number,
    messages: readonly NewMessage[],
    also?: (client: pg.PoolClient) => Promise<void>,
  ): Promise<boolean> {
    const { pool, tellings, queue } = this.#deps;
    const isOurs = await inTransaction(pool, async (client) => {
      if (!(await tellings.reach(client, claim, place))) return false;
      await enqueueAll(queue, client, messages);
      await also?.(client);
      return true;
    });
    if (isOurs && messages.length > 0) queue.wake();
    return isOurs;
  }
}
