import { LRUCache } from 'lru-cache';

export type ExitState = 'alive' | 'dead' | 'tampering';
export type Parity = 'ok' | 'differs' | 'unknown';
export type ExitOutcome = 'read' | 'refused' | 'failed';

/** What came of asking a dead exit for a page; unknown: there was nothing to ask for. */
export type ProbeOutcome = 'ok' | 'failed' | 'unknown';

/** Each outcome counts this much against all before it. */
const OUTCOME_SHARE = 0.1;
/** Failures in a row of the exit itself after which it is dead. */
const DEAD_AFTER = 3;
const FIRST_BACKOFF_MS = 30_000;
const MAX_BACKOFF_MS = 15 * 60_000;
/** Differing parity checks in a row after which an exit is taken to change what passes through it. */
const TAMPERING_AFTER = 2;
/** Refusals of one host, each worth half after an hour, from which the exit is burned for it: three that are fresh. */
const BURNED_FROM = 2.5;
const BURNED_MS = 60 * 60_000;
const HOSTS = 1_000;

interface HostRecord {
  readonly refusals: number;
  readonly refusedAtMs: number;
  readonly burnedUntilMs: number;
}

/** How one exit fares: by itself, and with each host. Times are milliseconds handed in. */
export class ExitHealth {
  readonly #hosts = new LRUCache<string, HostRecord>({ max: HOSTS });
  #successRate = 1;
  #failuresInARow = 0;
  #backoffMs = FIRST_BACKOFF_MS;
  #probeAtMs: number | undefined;
  #differsInARow = 0;
  #parity: Parity = 'unknown';
  #parityAtMs: number | undefined;
  #requests = 0;
  #bytes = 0;

  get state(): ExitState {
    if (this.#probeAtMs !== undefined) return 'dead';
    return this.#differsInARow >= TAMPERING_AFTER ? 'tampering' : 'alive';
  }

  get successRate(): number {
    return this.#successRate;
  }

  get requests(): number {
    return this.#requests;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get parity(): Parity {
    return this.#parity;
  }

  get parityAtMs(): number | undefined {
    return this.#parityAtMs;
  }

  /** Whether its last try failed, though it isn't given up yet. */
  get isShaky(): boolean {
    return this.#failuresInARow > 0;
  }

  isUsableFor(host: string, nowMs: number): boolean {
    return this.state === 'alive' && !this.#isBurned(this.#hosts.peek(host), nowMs);
  }

  burnedFor(nowMs: number): string[] {
    return [...this.#hosts.entries()].filter(([, record]) => this.#isBurned(record, nowMs)).map(([host]) => host);
  }

  note(host: string, outcome: ExitOutcome, bytes: number, nowMs: number): void {
    this.#requests += 1;
    this.addBytes(bytes);
    const success = outcome === 'read' ? 1 : 0;
    this.#successRate += OUTCOME_SHARE * (success - this.#successRate);
    if (outcome === 'failed') {
      this.noteFailure(nowMs);
      return;
    }
    // Even a refusal was carried faithfully.
    this.#failuresInARow = 0;
    this.#backoffMs = FIRST_BACKOFF_MS;
    if (outcome === 'read') this.#hosts.delete(host);
    else this.#noteRefusal(host, nowMs);
  }

  /** The exit itself failed. */
  noteFailure(nowMs: number): void {
    this.#failuresInARow += 1;
    if (this.#failuresInARow < DEAD_AFTER || this.#probeAtMs !== undefined) return;
    this.#putOff(nowMs);
  }

  isProbeDue(nowMs: number): boolean {
    return this.#probeAtMs !== undefined && nowMs >= this.#probeAtMs;
  }

  noteProbe(outcome: ProbeOutcome, nowMs: number): void {
    if (this.#probeAtMs === undefined) return;
    if (outcome === 'failed') {
      this.#putOff(nowMs);
      return;
    }
    this.#probeAtMs = undefined;
    // Where nothing could be asked, the next page is the probe, and its failure the last.
    this.#failuresInARow = outcome === 'ok' ? 0 : DEAD_AFTER - 1;
  }

  noteParity(parity: Parity, nowMs: number): void {
    this.#parityAtMs = nowMs;
    if (parity === 'unknown') return;
    this.#parity = parity;
    this.#differsInARow = parity === 'ok' ? 0 : this.#differsInARow + 1;
  }

  addBytes(bytes: number): void {
    this.#bytes += bytes;
  }

  #putOff(nowMs: number): void {
    this.#probeAtMs = nowMs + this.#backoffMs;
    this.#backoffMs = Math.min(MAX_BACKOFF_MS, this.#backoffMs * 2);
  }

  #noteRefusal(host: string, nowMs: number): void {
    const before = this.#hosts.get(host) ?? { refusals: 0, refusedAtMs: nowMs, burnedUntilMs: nowMs };
    const refusals = 1 + before.refusals * 0.5 ** ((nowMs - before.refusedAtMs) / BURNED_MS);
    const burnedUntilMs = refusals >= BURNED_FROM ? nowMs + BURNED_MS : before.burnedUntilMs;
    this.#hosts.set(host, { refusals, refusedAtMs: nowMs, burnedUntilMs });
  }

  #isBurned(record: HostRecord | undefined, nowMs: number): boolean {
    return record !== undefined && nowMs < record.burnedUntilMs;
  }
}
