import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';

/** Permits of a process without a heartbeat for this long are released: before its work is reassigned. */
export const OWNER_EXPIRY_MS = 5_000;
const HEARTBEAT_MS = 1_000;
/** Maximum turns that wait for their removal; more expire by themselves. */
const ABANDONED_MAX = 10_000;

/**
 * Returns the script part that releases the permits in `busy` of processes without a heartbeat, by `owners`, a sorted
 * set of their expiries.
 */
export const releaseExpired = (busy: string, owners: string): string => `
for _, owner in ipairs(redis.call('ZRANGEBYSCORE', ${owners}, '-inf', now)) do
  for _, turn in ipairs(redis.call('ZRANGE', ${busy}, 0, -1)) do
    if string.sub(turn, 1, #owner) == owner then redis.call('ZREM', ${busy}, turn) end
  end
  redis.call('ZREM', ${owners}, owner)
end`;

const HEARTBEAT = `
local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1]) redis.call('PEXPIRE', KEYS[1], 60000)`;

/**
 * Sends a heartbeat for every host this process has permits of, and removes its turns that have no permit. A process that is killed releases nothing; without
 * heartbeats its permits would block the host for as long as a capture may take.
 */
export class PermitOwner {
  readonly id = randomUUID();
  readonly #redis: Redis;
  readonly #permits = new Map<string, number>();
  /** Turns without a permit, with the key of the set that may contain them. */
  readonly #abandoned = new Map<string, string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /** Returns a permit's name, which contains its owner. */
  token(): string {
    return `${this.id}:${randomUUID()}`;
  }

  onAcquired(ownersKey: string): void {
    this.#permits.set(ownersKey, (this.#permits.get(ownersKey) ?? 0) + 1);
    this.#start();
  }

  /**
   * Removes a turn at the next heartbeat that Redis answers: a command without a response may still have been executed, and its turn would
   * count against the host until it expires.
   */
  abandon(busyKey: string, token: string): void {
    if (this.#abandoned.size >= ABANDONED_MAX) return;
    this.#abandoned.set(token, busyKey);
    this.#start();
  }

  #start(): void {
    this.#timer ??= setInterval(() => void this.#heartbeat(), HEARTBEAT_MS).unref();
  }

  onReleased(ownersKey: string): void {
    const left = (this.#permits.get(ownersKey) ?? 1) - 1;
    if (left > 0) this.#permits.set(ownersKey, left);
    else this.#permits.delete(ownersKey);
    this.#stopIfIdle();
  }

  #stopIfIdle(): void {
    if (this.#permits.size > 0 || this.#abandoned.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #heartbeat(): Promise<void> {
    if (this.#redis.status !== 'ready') return;
    const sent = [...this.#permits.keys()].map((key) => this.#redis.eval(HEARTBEAT, 1, key, this.id, OWNER_EXPIRY_MS));
    const removed = [...this.#abandoned].map(async ([token, busyKey]) => {
      await this.#redis.zrem(busyKey, token);
      this.#abandoned.delete(token);
    });
    await Promise.allSettled([...sent, ...removed]);
    this.#stopIfIdle();
  }
}
