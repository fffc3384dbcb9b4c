import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';

/** A process that has said nothing for this long has given its turns back: before its work comes to another. */
export const SILENT_MS = 5_000;
const SAY_EVERY_MS = 1_000;

/** In a script: gives back the turns in `busy` of processes that have gone silent, by `owners`, which says how long each is trusted. */
export const freeSilent = (busy: string, owners: string): string => `
for _, owner in ipairs(redis.call('ZRANGEBYSCORE', ${owners}, '-inf', now)) do
  for _, turn in ipairs(redis.call('ZRANGE', ${busy}, 0, -1)) do
    if string.sub(turn, 1, #owner) == owner then redis.call('ZREM', ${busy}, turn) end
  end
  redis.call('ZREM', ${owners}, owner)
end`;

const SAY = `
local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1]) redis.call('PEXPIRE', KEYS[1], 60000)`;

/**
 * Says at every host this process has turns at that it is still there. A process that is killed says nothing, and gives nothing back:
 * without this its turns would keep everyone from the host for as long as a capture may take.
 */
export class TurnOwner {
  readonly id = randomUUID();
  readonly #redis: Redis;
  readonly #turns = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /** A turn's name, which says whose it is. */
  token(): string {
    return `${this.id}:${randomUUID()}`;
  }

  took(ownersKey: string): void {
    this.#turns.set(ownersKey, (this.#turns.get(ownersKey) ?? 0) + 1);
    this.#timer ??= setInterval(() => void this.#say(), SAY_EVERY_MS).unref();
  }

  gaveBack(ownersKey: string): void {
    const left = (this.#turns.get(ownersKey) ?? 1) - 1;
    if (left > 0) this.#turns.set(ownersKey, left);
    else this.#turns.delete(ownersKey);
    if (this.#turns.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #say(): Promise<void> {
    if (this.#redis.status !== 'ready') return;
    const said = [...this.#turns.keys()].map((key) => this.#redis.eval(SAY, 1, key, this.id, SILENT_MS));
    await Promise.allSettled(said);
  }
}
