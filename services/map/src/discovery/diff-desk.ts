import { AppError } from '@tidemark/errors';
import type { Documents } from '../documents.ts';
import type { SnapshotDiff } from '../domain/snapshot.ts';
import type { SnapshotStore } from '../store/snapshot-store.ts';
import { diffTrees, type Tree } from './diff-trees.ts';

const MAX_WAITING = 20;

/** Differences of snapshots: worked out once, when first asked for, one at a time, and kept. */
export class DiffDesk {
  readonly #deps: { readonly snapshots: SnapshotStore; readonly documents: Documents };
  readonly #underWay = new Map<string, Promise<SnapshotDiff>>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(deps: { snapshots: SnapshotStore; documents: Documents }) {
    this.#deps = deps;
  }

  /** What differs from `before`, or from the snapshot this one was first compared with. Who stops waiting finds it there later. */
  async of(before: Tree | undefined, after: Tree): Promise<SnapshotDiff | undefined> {
    const { id } = after.snapshot;
    const stored = await this.#deps.snapshots.findDiff(id);
    if (stored !== undefined || before === undefined) return stored;
    const begun = this.#underWay.get(id);
    if (begun !== undefined) return begun;
    if (this.#underWay.size >= MAX_WAITING)
      throw new AppError(
        'unavailable',
        'more snapshots are waiting to be compared than can be taken on; try again shortly',
        {
          retryAfterSeconds: 5,
        },
      );
    const made = this.#last.then(() => this.#make(before, after));
    this.#underWay.set(id, made);
    this.#last = made.catch(() => undefined).finally(() => this.#underWay.delete(id));
    return made;
  }

  async #make(before: Tree, after: Tree): Promise<SnapshotDiff> {
    const diff = await diffTrees(this.#deps.documents, before, after);
    return this.#deps.snapshots.keepDiff(after.snapshot.id, diff);
  }
}
