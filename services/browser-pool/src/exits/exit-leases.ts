import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { type ExitStore, type LeaseRecord, TTL_MS } from './exit-store.ts';

const TOKEN_BYTES = 32;
/** 128 random bits, so that ids of other workspaces cannot be guessed. */
const ID_BYTES = 16;
const NO_HASH = hashOf('');

/** A lease as its holder receives it. `token` is a secret. */
export interface GrantedLease {
  readonly id: string;
  readonly token: string;
}

/** Short-lived permissions to use one exit, each for one workspace. */
export class ExitLeases {
  readonly #store: ExitStore;
  readonly #now: () => number;

  /** @param now milliseconds since 1970 */
  constructor(store: ExitStore, now: () => number = Date.now) {
    this.#store = store;
    this.#now = now;
  }

  async grant(lease: Pick<LeaseRecord, 'exit' | 'workspaceId' | 'host'>): Promise<GrantedLease> {
    const id = `exl_${randomBytes(ID_BYTES).toString('base64url')}`;
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const expiresAtMs = this.#now() + TTL_MS.lease;
    const tokenHash = hashOf(token).toString('base64');
    await this.#store.put('lease', id, { ...lease, tokenHash, expiresAtMs });
    return { id, token };
  }

  /** Returns the lease of this workspace; undefined if there is none, or another workspace holds it. */
  async find(id: string, workspaceId: string): Promise<LeaseRecord | undefined> {
    const lease = await this.#unexpired(id);
    return lease?.workspaceId === workspaceId ? lease : undefined;
  }

  /** Returns the lease if the token belongs to it. Compares in constant time. */
  async verify(id: string, token: string): Promise<LeaseRecord | undefined> {
    const lease = await this.#unexpired(id);
    const expected = lease === undefined ? NO_HASH : Buffer.from(lease.tokenHash, 'base64');
    const given = hashOf(token);
    const isEqual = expected.length === given.length && timingSafeEqual(expected, given);
    return isEqual ? lease : undefined;
  }

  end(id: string): Promise<void> {
    return this.#store.remove('lease', id);
  }

  async #unexpired(id: string): Promise<LeaseRecord | undefined> {
    const [lease] = await this.#store.read('lease', [id]);
    return lease !== undefined && this.#now() < lease.expiresAtMs ? lease : undefined;
  }
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
