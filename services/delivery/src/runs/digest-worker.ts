import type { Logger } from '@tidemark/service';
import type { Digest } from '../notifications/notification.ts';
import type { MemberMessages } from '../notifications/ports.ts';
import type { PeerQueries } from '../peers/peer-queries.ts';
import type { DigestRequest, DigestRequestStore } from '../store/digest-request-store.ts';
import { loadFinishedRun } from './load-finished-run.ts';

export interface DigestWorkerDeps {
  readonly digestRequests: DigestRequestStore;
  readonly peerQueries: PeerQueries;
  readonly members: Pick<MemberMessages, 'composeDigest'>;
  /** Called once a digest is stored, so that the notification continues. */
  readonly onDigest: () => void;
  readonly log: Logger;
}

/**
 * Calls models for digests, separately from the workers that send notifications: a slow model delays the digests of its own workspace only, and
 * no notification for longer than its wait.
 */
export class DigestWorker {
  readonly #deps: DigestWorkerDeps;

  constructor(deps: DigestWorkerDeps) {
    this.#deps = deps;
  }

  /** Composes the digest of the next waiting run. @returns whether there was one */
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
      log.warn({ err: error, run: run.runId }, 'record of a run could not be read, sending without digest');
      return null;
    }
  }
}
