import { describe, expect, it } from '@jest/globals';
import { AppError } from '@tidemark/errors';
import { createLogger } from '@tidemark/service';
import fc from 'fast-check';
import type { AnyJob } from './any-job.ts';
import { Attempts } from './attempts.ts';
import { JOB_LEASE_SECONDS } from './job-leases.ts';
import { openKeeper } from './keeper.ts';

const log = createLogger('jobs', 'silent');
const LEASE_MS = JOB_LEASE_SECONDS * 1_000;

interface Row extends AnyJob {
  readonly owner: string;
  readonly leaseUntilMs: number;
}

interface Running {
  readonly process: string;
  readonly jobId: string;
  readonly settle: (goesWell: boolean) => void;
}

/** The table all processes share, its clock, and what runs where. An answer of the table comes when `step` lets it. */
class World {
  readonly rows = new Map<string, Row>();
  readonly ends = new Map<string, number>();
  running: Running[] = [];
  /** Jobs with two attempts at once in one process, or taken over by one that had not stopped yet. */
  readonly twice: string[] = [];
  late: (() => void)[] = [];
  nowMs = 0;
  isAway = false;

  change(id: string, change: Partial<Row>): void {
    const row = this.rows.get(id);
    if (row !== undefined) this.rows.set(id, { ...row, ...change });
  }

  heldBy(owner: string, id: string): boolean {
    const row = this.rows.get(id);
    return row?.owner === owner && row.status === 'running';
  }

  async answer<T>(value: T): Promise<T> {
    if (this.isAway) throw new Error('the database is away');
    await new Promise<void>((resolve) => this.late.push(resolve));
    return value;
  }

  async step(which: number): Promise<void> {
    this.late.splice(which % Math.max(1, this.late.length), 1)[0]?.();
    await new Promise((resolve) => setImmediate(resolve));
  }

  async calm(): Promise<void> {
    do await this.step(0);
    while (this.late.length > 0);
  }
}

type Ended = { readonly job: Row };

function openProcess(world: World, name: string) {
  const rows = () => [...world.rows.values()];
  const end = async (id: string, status: string): Promise<Ended | undefined> => {
    const isOurs = world.heldBy(name, id);
    if (isOurs) {
      world.change(id, { status });
      world.ends.set(id, (world.ends.get(id) ?? 0) + 1);
    }
    await world.answer(undefined);
    const job = world.rows.get(id);
    return isOurs && job !== undefined ? { job } : undefined;
  };
  const attempts = new Attempts<Row, Ended>({
    jobs: { find: (_, id) => world.answer(world.rows.get(id)) },
    leases: {
      release: async (id, seconds) => {
        if (world.heldBy(name, id)) world.change(id, { leaseUntilMs: world.nowMs + seconds * 1_000 });
        await world.answer(undefined);
      },
    },
    giveUp: (job) => end(job.id, 'error'),
    log,
    maxRunning: 2,
    maxWaiting: 10,
  });
  /** An attempt that takes until it is told, also once it has been stopped. */
  const run = (job: Row) =>
    attempts.run(job, async (signal) => {
      if (world.running.some((one) => one.process === name && one.jobId === job.id)) world.twice.push(job.id);
      const goesWell = await new Promise<boolean>((resolve) =>
        world.running.push({ process: name, jobId: job.id, settle: resolve }),
      );
      signal.throwIfAborted();
      if (!goesWell) throw new AppError('unavailable', 'it went wrong');
      return end(job.id, 'done');
    });
  const keeper = openKeeper<Row>({
    attempts,
    renew: (ids) => {
      const ours = ids.filter((id) => world.heldBy(name, id));
      if (!world.isAway) for (const id of ours) world.change(id, { leaseUntilMs: world.nowMs + LEASE_MS });
      return world.answer(new Set(ours));
    },
    takeOver: (limit, except) => {
      const free = rows().filter(({ id, status, leaseUntilMs }) => {
        return status === 'running' && leaseUntilMs < world.nowMs && !except.includes(id);
      });
      const taken = world.isAway ? [] : free.slice(0, limit);
      world.twice.push(...attempts.jobsUnderWay.filter((id) => taken.some((one) => one.id === id)));
      for (const { id, attempts: made } of taken)
        world.change(id, { owner: name, attempts: made + 1, leaseUntilMs: world.nowMs + LEASE_MS });
      const jobs = taken.flatMap(({ id }) => world.rows.get(id) ?? []);
      return world.answer(jobs.map((job) => ({ job, trace: {} })));
    },
    resume: (job) => void run(job),
    giveUp: (job) => end(job.id, 'error'),
    log,
  });
  keeper.close();
  return { name, run, round: () => keeper.go() };
}

type Process = ReturnType<typeof openProcess>;

const JOBS = ['a', 'b', 'c', 'd'];
const job = fc.constantFrom(...JOBS);
const move = fc.oneof(
  { weight: 4, arbitrary: fc.record({ move: fc.constant('round' as const), process: fc.nat(2) }) },
  { weight: 4, arbitrary: fc.record({ move: fc.constant('answer' as const), which: fc.nat(5) }) },
  fc.record({ move: fc.constant('wait' as const), ms: fc.integer({ min: 500, max: 20_000 }) }),
  fc.record({ move: fc.constant('begin' as const), job }),
  fc.record({ move: fc.constant('settle' as const), which: fc.nat(7), goesWell: fc.boolean() }),
  fc.record({ move: fc.constant('steal' as const), job }),
  fc.record({ move: fc.constant('die' as const), process: fc.integer({ min: 1, max: 2 }) }),
  fc.record({ move: fc.constant('database' as const), isAway: fc.boolean() }),
);
type Move = typeof move extends fc.Arbitrary<infer M> ? M : never;

/** Three processes and their jobs, each written by one of them and begun by it in its own time. */
class Fleet {
  readonly world = new World();
  alive: Process[] = ['p0', 'p1', 'p2'].map((name) => openProcess(this.world, name));
  readonly #unbegun = new Map<string, () => void>();

  constructor() {
    for (const [at, id] of JOBS.entries()) {
      const owner = this.alive[at % this.alive.length];
      if (owner === undefined) continue;
      const row = { id, workspaceId: 'w', requestId: 'r', status: 'running', attempts: 1, createdAt: new Date(0) };
      const written: Row = { ...row, owner: owner.name, leaseUntilMs: LEASE_MS };
      this.world.rows.set(id, written);
      this.#unbegun.set(id, () => {
        if (this.alive.includes(owner)) void owner.run(written);
      });
    }
  }

  begin(id: string): void {
    this.#unbegun.get(id)?.();
    this.#unbegun.delete(id);
  }

  make(one: Move): void {
    const { world } = this;
    if (one.move === 'round') void this.alive.find(({ name }) => name === `p${one.process}`)?.round();
    if (one.move === 'wait') world.nowMs += one.ms;
    if (one.move === 'begin') this.begin(one.job);
    if (one.move === 'settle') world.running.splice(one.which, 1)[0]?.settle(one.goesWell);
    if (one.move === 'steal' && world.rows.get(one.job)?.status === 'running')
      world.change(one.job, { owner: 'elsewhere', leaseUntilMs: world.nowMs + LEASE_MS });
    if (one.move === 'database') world.isAway = one.isAway;
    if (one.move === 'die') {
      this.alive = this.alive.filter(({ name }) => name !== `p${one.process}`);
      world.running = world.running.filter(({ process }) => process !== `p${one.process}`);
    }
  }

  hasEnded(): boolean {
    return [...this.world.rows.values()].every(({ status }) => status !== 'running');
  }

  /** What comes when nothing is in the way any more. */
  async settleDown(): Promise<void> {
    this.world.isAway = false;
    for (const id of JOBS) this.begin(id);
    for (let rounds = 0; rounds < 20 && !this.hasEnded(); rounds += 1) {
      await this.world.calm();
      for (const one of this.world.running.splice(0)) one.settle(true);
      await this.world.calm();
      this.world.nowMs += LEASE_MS + 1_000;
      for (const one of this.alive) void one.round();
    }
    await this.world.calm();
  }
}

describe('processes that keep the same jobs', () => {
  it('never has two attempts at a job at once, and brings every job to one end, whatever dies, stalls or is taken', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(move, { maxLength: 60, size: 'max' }), async (moves) => {
        const fleet = new Fleet();
        for (const one of moves) {
          fleet.make(one);
          await fleet.world.step(one.move === 'answer' ? one.which : Number.MAX_SAFE_INTEGER);
        }
        await fleet.settleDown();
        expect([fleet.world.twice, fleet.hasEnded()]).toEqual([[], true]);
        expect(JOBS.map((id) => fleet.world.ends.get(id))).toEqual(JOBS.map(() => 1));
      }),
      { numRuns: 300 },
    );
  });
});
