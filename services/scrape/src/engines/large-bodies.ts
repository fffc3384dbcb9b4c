import { FairQueue } from '@tidemark/service';

/** Large bodies that this process holds at the same time: at most 20 MB each, with what is read from them. */
const LARGE_BODIES = 6;
/** Further ones for workspaces that hold none. */
const RESERVED = 2;
const MAX_WAITING = 1_000;
/** Time after which a body that waits is given up, ms. */
const WAIT_MS = 90_000;

/** The permission of one fetch to receive a large body. */
export interface LargeBodyPermit {
  /** Resolves when the body may be received. Safe to call again. @throws AppError unavailable */
  readonly acquire: () => Promise<void>;
  /** Must be called when the body is not used any more. Safe to call again. */
  readonly release: () => void;
}

/** Limits the large bodies in the memory of this process, shared fairly between workspaces. */
export class LargeBodies {
  readonly #queue: FairQueue;

  constructor(capacity = LARGE_BODIES, reserved = RESERVED) {
    this.#queue = new FairQueue({ capacity, reserved, maxWaiting: MAX_WAITING, slots: 'large pages' });
  }

  /** Large bodies held now. */
  get held(): number {
    return this.#queue.active;
  }

  permitOf(workspaceId: string, signal: AbortSignal): LargeBodyPermit {
    let releaseSlot: (() => void) | undefined;
    let isReleased = false;
    return {
      acquire: async () => {
        if (releaseSlot !== undefined || isReleased) return;
        const slot = await this.#queue.acquire(workspaceId, AbortSignal.any([signal, AbortSignal.timeout(WAIT_MS)]));
        if (isReleased) slot();
        else releaseSlot = slot;
      },
      release: () => {
        isReleased = true;
        releaseSlot?.();
        releaseSlot = undefined;
      },
    };
  }
}
