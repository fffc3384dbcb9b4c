import { LRUCache } from 'lru-cache';
import { ExitHealth, type ExitOutcome, type ExitState, type Parity, type ProbeOutcome } from './exit-health.ts';
import type { Exit } from './exit-list.ts';

/** What a check of an exit found, and what it cost in bytes through the exit. */
export interface ProbeResult {
  readonly outcome: ProbeOutcome;
  readonly bytes: number;
}

/** Unknown: the pages could not be compared; `exitFailed` where that was the exit's doing. */
export interface ParityResult {
  readonly parity: Parity;
  readonly bytes: number;
  readonly exitFailed: boolean;
}

export interface ExitsDeps {
  /** Milliseconds. */
  readonly now: () => number;
  /** Asks a dead exit whether it is back. Never rejects. */
  readonly probe: (exit: Exit) => Promise<ProbeResult>;
  /** Compares a page fetched directly with the same through the exit. Never rejects. Without it parity stays unknown. */
  readonly checkParity?: (exit: Exit) => Promise<ParityResult>;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** An exit as its operator may see it. */
export interface ExitView {
  readonly name: string;
  readonly country: string;
  readonly kind: string;
  readonly state: ExitState;
  readonly parity: Parity;
  readonly parityCheckedAt: Date | undefined;
  /** From 0 to 1, recent fetches counting most. */
  readonly successRate: number;
  readonly requests: number;
  readonly bytes: number;
  /** Some of the hosts it is not used for at present. */
  readonly burnedFor: readonly string[];
  /** Some of the hosts it is first choice for. */
  readonly adoptedBy: readonly string[];
}

export interface ExitWish {
  readonly host: string;
  /** ISO 3166-1 alpha-2; empty: any. */
  readonly country: string;
  /** Keeps its exit; empty: no session. Names of two workspaces must differ. */
  readonly session: string;
}

const MAX_SESSIONS = 10_000;
const SESSION_IDLE_MS = 30 * 60_000;
const MAX_ADOPTED_HOSTS = 10_000;
const HOSTS_SHOWN = 50;
const PROBES_AT_ONCE = 8;
const PARITY_EVERY_MS = 5 * 60_000;
/** No exit falls so far that it can't show it has recovered. */
const LEAST_WEIGHT = 0.05;

/**
 * The exits of the deployment: which to use for a page, and how each fares. All of it is in this process's memory: another
 * process learns for itself, and a restart begins anew.
 */
export class Exits {
  readonly #exits: ReadonlyMap<string, { readonly exit: Exit; readonly health: ExitHealth }>;
  readonly #deps: ExitsDeps;
  readonly #sessions: LRUCache<string, string>;
  readonly #adopted = new LRUCache<string, string>({ max: MAX_ADOPTED_HOSTS });
  #timer: NodeJS.Timeout | undefined;
  #isChecking = false;

  constructor(list: readonly Exit[], deps: ExitsDeps) {
    this.#exits = new Map(list.map((exit) => [exit.name, { exit, health: new ExitHealth() }]));
    this.#deps = deps;
    this.#sessions = new LRUCache({
      max: MAX_SESSIONS,
      ttl: SESSION_IDLE_MS,
      ttlResolution: 0,
      updateAgeOnGet: true,
      perf: { now: deps.now },
    });
  }

  get isEmpty(): boolean {
    return this.#exits.size === 0;
  }

  /** Whether an exit of the country is configured; empty: whether there is one at all. */
  hasCountry(country: string): boolean {
    return [...this.#exits.values()].some(({ exit }) => isIn(exit, country));
  }

  /** The exit for a page; undefined where none of those that would do is fit for use. */
  pick({ host, country, session }: ExitWish): Exit | undefined {
    const now = this.#deps.now();
    const usable = [...this.#exits.values()].filter(
      ({ exit, health }) => isIn(exit, country) && health.isUsableFor(host, now),
    );
    const named = (name: string | undefined) => usable.find(({ exit }) => exit.name === name);
    const sessionKey = `${country.toUpperCase()} ${session}`;
    const kept = session === '' ? undefined : named(this.#sessions.get(sessionKey));
    const chosen = kept ?? named(this.#adopted.get(host)) ?? this.#draw(usable);
    if (chosen !== undefined && session !== '') this.#sessions.set(sessionKey, chosen.exit.name);
    return chosen?.exit;
  }

  /** What came of a page fetched through the exit: read, refused by the site, or failed by the exit's own fault. */
  report(exitName: string, host: string, outcome: ExitOutcome, bytes: number): void {
    const known = this.#exits.get(exitName);
    if (known === undefined) return;
    known.health.note(host, outcome, bytes, this.#deps.now());
    if (outcome === 'read') this.#adopted.set(host, exitName);
    else if (this.#adopted.peek(host) === exitName) this.#adopted.delete(host);
  }

  view(): readonly ExitView[] {
    const now = this.#deps.now();
    const adopted = new Map<string, string[]>();
    for (const [host, name] of this.#adopted.entries()) {
      const hosts = adopted.get(name) ?? [];
      if (hosts.length < HOSTS_SHOWN) hosts.push(host);
      adopted.set(name, hosts);
    }
    return [...this.#exits.values()].map(({ exit: { name, country, kind }, health }) => ({
      name,
      country,
      kind,
      state: health.state,
      parity: health.parity,
      parityCheckedAt: health.parityAtMs === undefined ? undefined : new Date(health.parityAtMs),
      successRate: health.successRate,
      requests: health.requests,
      bytes: health.bytes,
      burnedFor: health.burnedFor(now).slice(0, HOSTS_SHOWN),
      adoptedBy: adopted.get(name) ?? [],
    }));
  }

  /** Probes the dead whose time has come, and compares one exit's pages; one run at a time. */
  async check(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    try {
      const now = this.#deps.now();
      const due = [...this.#exits.values()].filter(({ health }) => health.isProbeDue(now)).slice(0, PROBES_AT_ONCE);
      const probing = due.map(async ({ exit, health }) => {
        const { outcome, bytes } = await this.#deps.probe(exit);
        health.addBytes(bytes);
        health.noteProbe(outcome, this.#deps.now());
      });
      await Promise.all([...probing, this.#compareOne()]);
    } finally {
      this.#isChecking = false;
    }
  }

  /** Checks now and then until closed. */
  start(everyMs: number): void {
    this.#timer ??= setInterval(() => void this.check(), everyMs).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** The exit not compared for longest. */
  async #compareOne(): Promise<void> {
    const { checkParity, now } = this.#deps;
    if (checkParity === undefined) return;
    const before = now() - PARITY_EVERY_MS;
    const due = [...this.#exits.values()]
      .filter(({ health }) => health.state !== 'dead' && (health.parityAtMs ?? Number.NEGATIVE_INFINITY) <= before)
      .sort((one, other) => (one.health.parityAtMs ?? 0) - (other.health.parityAtMs ?? 0))[0];
    if (due === undefined) return;
    const { parity, bytes, exitFailed } = await checkParity(due.exit);
    due.health.addBytes(bytes);
    due.health.noteParity(parity, now());
    if (exitFailed) due.health.noteFailure(now());
  }

  /** By success rate; one whose last try failed only where there is no other. */
  #draw<T extends { readonly health: ExitHealth }>(usable: readonly T[]): T | undefined {
    const steady = usable.filter(({ health }) => !health.isShaky);
    const drawn = steady.length > 0 ? steady : usable;
    const weights = drawn.map(({ health }) => Math.max(LEAST_WEIGHT, health.successRate));
    let left = this.#deps.random() * weights.reduce((sum, weight) => sum + weight, 0);
    const at = weights.findIndex((weight) => {
      left -= weight;
      return left <= 0;
    });
    return drawn.at(at);
  }
}

const isIn = (exit: Exit, country: string): boolean => country === '' || exit.country === country.toUpperCase();
