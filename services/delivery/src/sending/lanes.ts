import type { Room } from '../store/claims.ts';

/** In flight at once: in all, in a lane, and in the lanes that fail together. */
export interface LaneLimits {
  readonly all: number;
  readonly lane: number;
  readonly failing: number;
}

export const LANE_LIMITS: LaneLimits = { all: 200, lane: 8, failing: 50 };

/** A lane fails after so many failed attempts in a row. */
export const FAILURES_IN_A_ROW = 3;
/** Lanes whose failures are remembered while nothing of them is in flight. */
const MOST_REMEMBERED = 10_000;
/** Lanes of one claim. */
const LANES_AT_ONCE = 100;

/**
 * Who may send how much, so that a receiver that is dead or slow delays nobody: a lane has eight places, one while it fails; failing lanes
 * have fifty together; and the second half of all places is for lanes that have nothing on its way.
 */
export class Lanes {
  readonly #limits: LaneLimits;
  /** Lanes that may have something due, in the order of their turns. */
  readonly #ripe = new Set<string>();
  readonly #inFlight = new Map<string, number>();
  /** Failed attempts in a row, of lanes that had any. */
  readonly #failures = new Map<string, number>();
  #all = 0;
  #failing = 0;

  constructor(limits: LaneLimits = LANE_LIMITS) {
    this.#limits = limits;
  }

  get inFlight(): number {
    return this.#all;
  }

  /** Lanes that may have something due. */
  ripen(lanes: Iterable<string>): void {
    for (const lane of lanes) this.#ripe.add(lane);
  }

  /** What may be claimed now. The lanes have had their turn: they are ripe again by what `claimed` says. */
  takeRooms(): readonly Room[] {
    const rooms: Room[] = [];
    let left = this.#limits.all - this.#all;
    let failingLeft = this.#limits.failing - this.#failing;
    for (const lane of this.#ripe) {
      if (left <= 0 || rooms.length === LANES_AT_ONCE) break;
      const isFailing = this.#isFailing(lane);
      const places = Math.min(
        this.#placesOf(lane, isFailing || left < this.#limits.all / 2),
        left,
        isFailing ? failingLeft : left,
      );
      if (places <= 0) continue;
      rooms.push({ lane, places });
      left -= places;
      if (isFailing) failingLeft -= places;
    }
    for (const { lane } of rooms) this.#ripe.delete(lane);
    return rooms;
  }

  #placesOf(lane: string, hasOne: boolean): number {
    return (hasOne ? 1 : this.#limits.lane) - (this.#inFlight.get(lane) ?? 0);
  }

  #isFailing(lane: string): boolean {
    return (this.#failures.get(lane) ?? 0) >= FAILURES_IN_A_ROW;
  }

  /** So many of each lane were claimed. One that used all its room may have more. */
  claimed(rooms: readonly Room[], lanesOfClaims: readonly string[]): void {
    const counts = new Map<string, number>();
    for (const lane of lanesOfClaims) counts.set(lane, (counts.get(lane) ?? 0) + 1);
    for (const { lane, places } of rooms) if ((counts.get(lane) ?? 0) >= places) this.#ripe.add(lane);
    for (const lane of lanesOfClaims) this.begin(lane);
  }

  /** One of the lane is on its way. */
  begin(lane: string): void {
    const before = this.#inFlight.get(lane) ?? 0;
    this.#inFlight.set(lane, before + 1);
    this.#all += 1;
    if (this.#isFailing(lane)) this.#failing += 1;
  }

  /** One of the lane came back; undefined: nothing is known of how it went. */
  end(lane: string, isTaken: boolean | undefined): void {
    const left = (this.#inFlight.get(lane) ?? 1) - 1;
    const wasFailing = this.#isFailing(lane);
    this.#all -= 1;
    if (left === 0) this.#inFlight.delete(lane);
    else this.#inFlight.set(lane, left);
    if (isTaken === true) this.#failures.delete(lane);
    else if (isTaken === false) this.#remember(lane);
    // Counted over for all that are still out: a lane may begin or cease to fail while several are.
    if (wasFailing) this.#failing -= left + 1;
    if (this.#isFailing(lane)) this.#failing += left;
  }

  #remember(lane: string): void {
    const failures = (this.#failures.get(lane) ?? 0) + 1;
    this.#failures.delete(lane);
    this.#failures.set(lane, failures);
    if (this.#failures.size <= MOST_REMEMBERED) return;
    const oldest = [...this.#failures.keys()].find((one) => !this.#inFlight.has(one));
    if (oldest !== undefined) this.#failures.delete(oldest);
  }
}
