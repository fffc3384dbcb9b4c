import type { Logger } from '@tidemark/service';
import type { AskClaim, AskStore } from './ask-store.ts';
import type { Fleet } from './fleet.ts';
import type { Digest, People } from './ports.ts';
import { runToTell } from './run-to-tell.ts';

export interface DigestAskerDeps {
  readonly asks: AskStore;
  readonly fleet: Fleet;
  readonly people: Pick<People, 'composeDigest'>;
  /** A telling may go on. */
  readonly answered: () => void;
  readonly log: Logger;
}

/**
 * Asks models what they say of records, beside the tellings that wait for it: a slow model holds up its own workspace's digests, no longer
 * than a telling waits, and nobody's tellings.
 */
export class DigestAsker {
  readonly #deps: DigestAskerDeps;

  constructor(deps: DigestAskerDeps) {
    this.#deps = deps;
  }

  /** Asks about the next run that waits. @returns whether there was one */
  async askNext(): Promise<boolean> {
    const { asks, answered } = this.#deps;
    const claim = await asks.claim();
    if (claim === undefined) return false;
    await asks.answer(claim, JSON.stringify(await this.#ask(claim)));
    answered();
    return true;
  }

  async #ask({ run, leftMs }: AskClaim): Promise<Digest | null> {
    const { fleet, people, log } = this.#deps;
    const until = performance.now() + leftMs;
    try {
      const toTell = await runToTell(fleet, run);
      return toTell === undefined ? null : await people.composeDigest(toTell, until - performance.now());
    } catch (error) {
      log.warn({ err: error, run: run.runId }, 'what a record holds could not be asked for; it has no digest');
      return null;
    }
  }
}
