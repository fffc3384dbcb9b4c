import type { Logger } from '@tidemark/service';
import type { Digest } from '../domain/notification.ts';
import type { MemberMessages } from '../domain/ports.ts';
import type { PeerQueries } from '../peers/peer-queries.ts';
import type { DigestRequest, DigestRequestStore } from './digest-request-store.ts';
import { loadFinishedRun } from './load-finished-run.ts';

export interface DigestWorkerDeps {
  readonly digestRequests: DigestRequestStore;
  readonly peerQueries: PeerQueries;
  readonly members: Pick<MemberMessages, 'composeDigest'>;
  /** A telling may go on. */
  readonly onDigest: () => void;
  readonly log: Logger;
}

/**
 * Asks models what they say of records, beside the tellings that wait for it: a slow model holds up its own workspace's digests, no longer
 * than a telling waits, and nobody's tellings.
 */
export class DigestWorker {
  readonly #deps: DigestWorkerDeps;

  constructor(deps: DigestWorkerDeps) {
    this.#deps = deps;
  }

  /** Asks about the next run that waits. @returns whether there was one */
  async composeNext(): Promise<boolean> {
    const { digestRequests, onDigest } = this.#deps;
    const claim = await digestRequests.claim();
    if (claim === undefined) return false;
    await digestRequests.complete(claim, JSON.stringify(await this.#compose(claim)));
    onDigest();
    return true;
  }

  async #compose({ run, leftMs }: DigestRequest): Promise<Digest | null> {
    const { peerQueries, members, log } = this.#deps;
    const until = performance.now() + leftMs;
    try {
      const finished = await loadFinishedRun(peerQueries, run);
      return finished === undefined ? null : await members.composeDigest(finished, until - performance.now());
    } catch (error) {
      log.warn({ err: error, run: run.runId }, 'what a record holds could not be asked for; it has no digest');
      return null;
    }
  }
}
