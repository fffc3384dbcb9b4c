import { AppError } from '@tidemark/errors';
import type { DocumentStore } from '../documents/document-store.ts';
import type { SnapshotDiff } from '../domain/snapshot.ts';
import type { SnapshotStore } from '../store/snapshot-store.ts';
import { diffTrees, type Tree } from './diff-trees.ts';

const MAX_QUEUED = 20;

/** Computes differences of snapshots on first use, one at a time, and stores them. */
export class SnapshotDiffs {
  readonly #deps: { readonly snapshots: SnapshotStore; readonly documents: DocumentStore };
  readonly #inProgress = new Map<string, Promise<SnapshotDiff>>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(deps: { snapshots: SnapshotStore; documents: DocumentStore }) {
    this.#deps = deps;
  }

  /**
   * Returns the stored difference of `after`, or computes it against `before`. The computation continues if the caller disconnects.
   * @throws AppError unavailable if too many comparisons are queued
   */
  async between(before: Tree | undefined, after: Tree): Promise<SnapshotDiff | undefined> {
    const { id } = after.snapshot;
    const stored = await this.#deps.snapshots.findDiff(id);
    if (stored !== undefined || before === undefined) return stored;
    const running = this.#inProgress.get(id);
    if (running !== undefined) return running;
    if (this.#inProgress.size >= MAX_QUEUED)
      throw new AppError('unavailable', 'the queue of comparisons is full; try again shortly', {
        retryAfterSeconds: 5,
      });
    const computed = this.#last.then(() => this.#compute(before, after));
    this.#inProgress.set(id, computed);
    this.#last = computed.catch(() => undefined).finally(() => this.#inProgress.delete(id));
    return computed;
  }

  async #compute(before: Tree, after: Tree): Promise<SnapshotDiff> {
    const diff = await diffTrees(this.#deps.documents, before, after);
    return this.#deps.snapshots.saveDiff(after.snapshot.id, diff);
  }
}
