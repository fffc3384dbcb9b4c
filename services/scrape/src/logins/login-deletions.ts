/** A login of a workspace. */
export interface WatchedLogin {
  readonly workspaceId: string;
  readonly loginId: string;
}

/**
 * Passes on the deletion of saved logins within this process: to the cache of opened sessions, and to the captures that
 * use the login.
 */
export class LoginDeletions {
  readonly #listeners = new Map<string, Set<() => void>>();

  /** Calls `deleted` when the login is deleted. Returns a function that stops this. */
  watch(login: WatchedLogin, deleted: () => void): () => void {
    const key = keyOf(login);
    const listeners = this.#listeners.get(key) ?? new Set();
    this.#listeners.set(key, listeners.add(deleted));
    return () => {
      if (listeners.delete(deleted) && listeners.size === 0 && this.#listeners.get(key) === listeners)
        this.#listeners.delete(key);
    };
  }

  /** Reports that a login was deleted. Safe to repeat. */
  report(login: WatchedLogin): void {
    for (const deleted of [...(this.#listeners.get(keyOf(login)) ?? [])]) deleted();
  }
}

const keyOf = ({ workspaceId, loginId }: WatchedLogin): string => JSON.stringify([workspaceId, loginId]);
