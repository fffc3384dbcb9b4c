import { LRUCache } from 'lru-cache';
import { type Change, type ExitStore, type Kind, RECENT_HOSTS, type Records } from './exit-store.ts';
import type { HostRecord } from './host-record.ts';

const MAX_RECORDS = 10_000;

/** The state of the exits in the memory of this process. */
export class LocalExitStore implements ExitStore {
  readonly #records: { readonly [K in Kind]: LRUCache<string, Records[K]> } = {
    exit: new LRUCache({ max: MAX_RECORDS }),
    host: new LRUCache({ max: MAX_RECORDS }),
    session: new LRUCache({ max: MAX_RECORDS }),
    lease: new LRUCache({ max: MAX_RECORDS }),
  };

  async read<K extends Kind>(kind: K, keys: readonly string[]): Promise<readonly (Records[K] | undefined)[]> {
    const records = this.#records[kind];
    return keys.map((key) => records.get(key));
  }

  async update<K extends Kind>(kind: K, key: string, change: Change<Records[K]>): Promise<Records[K] | undefined> {
    const next = change(this.#records[kind].get(key));
    if (next !== undefined) this.#records[kind].set(key, next);
    return next;
  }

  async put<K extends Kind>(kind: K, key: string, record: Records[K]): Promise<void> {
    this.#records[kind].set(key, record);
  }

  async remove(kind: Kind, key: string): Promise<void> {
    this.#records[kind].delete(key);
  }

  async recentHosts(): Promise<ReadonlyMap<string, HostRecord>> {
    return new Map([...this.#records.host.entries()].slice(0, RECENT_HOSTS));
  }
}
