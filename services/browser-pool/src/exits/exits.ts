import type { Exit, ExitKind } from './exit-list.ts';
import {
  claimParityCheck,
  claimProbe,
  type ExitOutcome,
  type ExitRecord,
  type ExitState,
  hasRecentFailure,
  NEW_EXIT,
  type Parity,
  type ProbeOutcome,
  stateOf,
  withBytes,
  withFailure,
  withOutcome,
  withParity,
  withProbe,
} from './exit-record.ts';
import { type ExitStore, TTL_MS } from './exit-store.ts';
import { type HostRecord, isBurned, NEW_HOST, withHostOutcome } from './host-record.ts';

/** Result of a probe, and the bytes it sent through the exit. */
export interface ProbeResult {
  readonly outcome: ProbeOutcome;
  readonly bytes: number;
}

/** Unknown: the pages could not be compared; `exitFailed` if the exit caused that. */
export interface ParityResult {
  readonly parity: Parity;
  readonly bytes: number;
  readonly exitFailed: boolean;
}

export interface ExitsDeps {
  readonly store: ExitStore;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Fetches a page through a dead exit. Never rejects. */
  readonly probe: (exit: Exit) => Promise<ProbeResult>;
  /** Compares a page fetched directly with the same page through the exit. Never rejects. Without it parity is unknown. */
  readonly checkParity?: (exit: Exit) => Promise<ParityResult>;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** Public data of an exit, without its URL. */
export interface ExitView {
  readonly name: string;
  readonly country: string;
  readonly kind: ExitKind;
  readonly state: ExitState;
  readonly parity: Parity;
  readonly parityCheckedAt: Date | undefined;
  /** From 0 to 1; recent fetches have the highest weight. */
  readonly successRate: number;
  readonly requests: number;
  readonly bytes: number;
  /** Some of the hosts it is not used for at present. */
  readonly burnedFor: readonly string[];
  /** Some of the hosts it is first choice for. */
  readonly adoptedBy: readonly string[];
}

export interface ExitRequest {
  readonly host: string;
  /** ISO 3166-1 alpha-2; empty: any. */
  readonly country: string;
  /** Undefined: any. */
  readonly kind?: ExitKind | undefined;
  /** Pages of one session keep their exit; empty: no session. Must differ between workspaces. */
  readonly session: string;
  /** Names of exits that failed for the page; others are preferred. */
  readonly tried: readonly string[];
}

interface Candidate {
  readonly exit: Exit;
  readonly record: ExitRecord;
}

const HOSTS_SHOWN = 50;
const PROBES_AT_ONCE = 8;
/** Minimum weight in the random choice, so that a recovered exit is used again. */
const LEAST_WEIGHT = 0.05;

/** The configured exits: chooses one for a page, and records the health of each. */
export class Exits {
  readonly #exits: ReadonlyMap<string, Exit>;
  readonly #deps: ExitsDeps;
  #timer: NodeJS.Timeout | undefined;
  #isChecking = false;

  constructor(list: readonly Exit[], deps: ExitsDeps) {
    this.#exits = new Map(list.map((exit) => [exit.name, exit]));
    this.#deps = deps;
  }

  get isEmpty(): boolean {
    return this.#exits.size === 0;
  }

  /** Each country once; an empty string for exits of unknown country. */
  get countries(): readonly string[] {
    return [...new Set([...this.#exits.values()].map(({ country }) => country))];
  }

  named(name: string): Exit | undefined {
    return this.#exits.get(name);
  }

  /** Chooses an exit for a page; undefined if no matching exit is usable. */
  async pick(request: ExitRequest): Promise<Exit | undefined> {
    const { store } = this.#deps;
    const now = this.#deps.now();
    const [all, [host = NEW_HOST]] = await Promise.all([this.#candidates(), store.read('host', [request.host])]);
    const usable = all.filter(
      ({ exit, record }) =>
        matchesRequest(exit, request) && stateOf(record) === 'alive' && !isBurned(host, exit.name, now),
    );
    const named = (name: string | undefined) => usable.find(({ exit }) => exit.name === name)?.exit;
    const untried = usable.filter(({ exit }) => !request.tried.includes(exit.name));
    const choose = () => {
      const adopted = named(host.adopted);
      if (adopted !== undefined && !request.tried.includes(adopted.name)) return adopted;
      return this.#draw(untried.length > 0 ? untried : usable)?.exit;
    };
    if (request.session === '') return choose();
    const sessionKey = `${request.country.toUpperCase()} ${request.kind} ${request.session}`;
    const sessionRecord = await store.update('session', sessionKey, (current) => {
      const isIdle = current === undefined || now - current.usedAtMs >= TTL_MS.session;
      const exit = (isIdle ? undefined : named(current.exit)) ?? choose();
      return exit === undefined ? undefined : { exit: exit.name, usedAtMs: now };
    });
    return sessionRecord === undefined ? undefined : named(sessionRecord.exit);
  }

  /** Records the result of a page fetched through the exit: read, refused by the site, or failed by the exit. */
  async report(exitName: string, host: string, outcome: ExitOutcome, bytes: number): Promise<void> {
    if (!this.#exits.has(exitName)) return;
    const { store } = this.#deps;
    const now = this.#deps.now();
    await Promise.all([
      store.update('exit', exitName, (record = NEW_EXIT) => withOutcome(record, outcome, bytes, now)),
      store.update('host', host, (record = NEW_HOST) => withHostOutcome(record, exitName, outcome, now)),
    ]);
  }

  async view(): Promise<readonly ExitView[]> {
    const now = this.#deps.now();
    const [all, hosts] = await Promise.all([this.#candidates(), this.#deps.store.recentHosts()]);
    const hostsThat = (test: (record: HostRecord) => boolean) =>
      [...hosts]
        .filter(([, record]) => test(record))
        .map(([host]) => host)
        .slice(0, HOSTS_SHOWN);
    return all.map(({ exit: { name, country, kind }, record }) => ({
      name,
      country,
      kind,
      state: stateOf(record),
      parity: record.parity,
      parityCheckedAt: record.parityAtMs === undefined ? undefined : new Date(record.parityAtMs),
      successRate: record.successRate,
      requests: record.requests,
      bytes: record.bytes,
      burnedFor: hostsThat((host) => isBurned(host, name, now)),
      adoptedBy: hostsThat((host) => host.adopted === name),
    }));
  }

  /** Probes dead exits that are due and checks the parity of one exit. Other instances skip what this one has claimed. */
  async check(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    try {
      const all = await this.#candidates();
      const now = this.#deps.now();
      const due = all.filter(({ record }) => claimProbe(record, now) !== undefined).slice(0, PROBES_AT_ONCE);
      await Promise.all([...due.map(({ exit }) => this.#probe(exit)), this.#compareOne(all)]);
    } finally {
      this.#isChecking = false;
    }
  }

  /** Checks periodically until closed. */
  start(everyMs: number): void {
    this.#timer ??= setInterval(() => void this.check(), everyMs).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #probe(exit: Exit): Promise<void> {
    const { store, now, probe } = this.#deps;
    const claimed = await store.update('exit', exit.name, (record = NEW_EXIT) => claimProbe(record, now()));
    if (claimed === undefined) return;
    const { outcome, bytes } = await probe(exit);
    await store.update('exit', exit.name, (record = NEW_EXIT) => withProbe(withBytes(record, bytes), outcome, now()));
  }

  /** Checks the parity of the exit whose last check is oldest. */
  async #compareOne(all: readonly Candidate[]): Promise<void> {
    const { checkParity, store, now } = this.#deps;
    if (checkParity === undefined) return;
    const [due] = all
      .filter(({ record }) => claimParityCheck(record, now()) !== undefined)
      .sort((one, other) => one.record.parityDueMs - other.record.parityDueMs);
    if (due === undefined) return;
    const { exit } = due;
    const claimed = await store.update('exit', exit.name, (record = NEW_EXIT) => claimParityCheck(record, now()));
    if (claimed === undefined) return;
    const { parity, bytes, exitFailed } = await checkParity(exit);
    await store.update('exit', exit.name, (record = NEW_EXIT) => {
      const checked = withParity(withBytes(record, bytes), parity, now());
      return exitFailed ? withFailure(checked, now()) : checked;
    });
  }

  async #candidates(): Promise<readonly Candidate[]> {
    const records = await this.#deps.store.read('exit', [...this.#exits.keys()]);
    return [...this.#exits.values()].map((exit, index) => ({ exit, record: records[index] ?? NEW_EXIT }));
  }

  /** Chooses at random, weighted by success rate. Exits whose last attempt failed are used only if there is no other. */
  #draw(usable: readonly Candidate[]): Candidate | undefined {
    const steady = usable.filter(({ record }) => !hasRecentFailure(record));
    const drawn = steady.length > 0 ? steady : usable;
    const weights = drawn.map(({ record }) => Math.max(LEAST_WEIGHT, record.successRate));
    let left = this.#deps.random() * weights.reduce((sum, weight) => sum + weight, 0);
    const at = weights.findIndex((weight) => {
      left -= weight;
      return left <= 0;
    });
    return drawn.at(at);
  }
}

const matchesRequest = (exit: Exit, { country, kind }: ExitRequest): boolean =>
  (country === '' || exit.country === country.toUpperCase()) && (kind === undefined || exit.kind === kind);
