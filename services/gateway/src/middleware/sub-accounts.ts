import { actorOf } from '@tidemark/contracts';
import { ChildServiceService as Children } from '@tidemark/contracts/identity/v1/children';
import { AppError } from '@tidemark/errors';
import type { Peer } from '@tidemark/service';
import { LRUCache } from 'lru-cache';
import { type Authenticated, callOf } from './authenticated.ts';
import { type Suspension, suspensionOf } from './suspension.ts';

/** Cache lifetime of an entry, ms. A suspended sub-account must be refused within five seconds. */
const CACHE_MS = 3_000;
const CACHE_MAX = 10_000;
const DEADLINE_MS = 3_000;

/** What the caller finds in a sub-account. */
interface Entered {
  readonly plan: string;
  readonly suspension: Suspension | undefined;
}

interface Entry {
  readonly entered: Promise<Entered>;
  readonly untilMs: number;
  readonly parent: Authenticated;
  readonly childId: string;
  /** Calls that are not yet recorded. */
  calls: number;
}

/** Lets keys and people of a workspace act in its sub-accounts, through identity, and counts their calls there. */
export class SubAccounts {
  readonly #identity: Peer;
  readonly #entries = new LRUCache<string, Entry>({ max: CACHE_MAX });

  constructor(identity: Peer) {
    this.#identity = identity;
  }

  /**
   * Returns the caller as it acts in a sub-account of its workspace, with its own rights and limits. A key that is restricted to projects can not
   * enter one. @throws AppError not_found, unavailable
   */
  async enter(parent: Authenticated, childId: string, requestId: string): Promise<Authenticated> {
    const { caller } = parent;
    if (caller === undefined || caller.access.kind === 'only') throw noSuchWorkspace();
    const name = `${caller.workspaceId} ${actorOf(caller)} ${childId}`;
    const { plan, suspension } = await this.#entered(name, { parent, childId, requestId });
    const inChild = { ...caller, workspaceId: childId, parentId: caller.workspaceId };
    return { ...parent, caller: inChild, plan, suspension };
  }

  #entered(name: string, request: { parent: Authenticated; childId: string; requestId: string }): Promise<Entered> {
    const cached = this.#entries.get(name);
    if (cached !== undefined && cached.untilMs > Date.now()) {
      cached.calls += 1;
      return cached.entered;
    }
    const entered = this.#load(request, 1 + (cached?.calls ?? 0));
    const { parent, childId } = request;
    this.#entries.set(name, { entered, untilMs: Date.now() + CACHE_MS, parent, childId, calls: 0 });
    entered.catch(() => this.#entries.delete(name));
    return entered;
  }

  async #load(
    { parent, childId, requestId }: { parent: Authenticated; childId: string; requestId: string },
    calls: number,
  ): Promise<Entered> {
    const call = callOf(parent, requestId);
    const request = { id: childId, calls };
    try {
      const { workspace } = await this.#identity.call(Children.enterChild, request, call, { deadlineMs: DEADLINE_MS });
      if (workspace === undefined) throw new AppError('internal', 'identity answered without a workspace');
      return { plan: workspace.plan, suspension: suspensionOf(workspace) };
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') throw noSuchWorkspace();
      throw error;
    }
  }

  /** Clears the cache, after a change of sub-accounts by this gateway. Counted calls are recorded. */
  clear(): void {
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    this.#record(entries);
  }

  /** Records the calls of entries that have expired, so that no call waits for a further one. */
  flush(): void {
    const expired = [...this.#entries].filter(([, { untilMs }]) => untilMs <= Date.now());
    for (const [name] of expired) this.#entries.delete(name);
    this.#record(expired.map(([, entry]) => entry));
  }

  #record(entries: readonly Entry[]): void {
    for (const { parent, childId, calls } of entries.filter(({ calls }) => calls > 0))
      this.#identity
        .call(Children.enterChild, { id: childId, calls }, callOf(parent, ''))
        // Lost calls only lower a counter.
        .catch(() => undefined);
  }
}

const noSuchWorkspace = () => new AppError('not_found', 'workspace not found');
