import { describe, expect, it } from '@jest/globals';
import { AppError } from '@tidemark/errors';
import { ATTEMPT_POLICIES, isPoison } from '@tidemark/leased-work';
import { createLogger } from '@tidemark/service';
import fc from 'fast-check';
import type { AnyJob } from './any-job.ts';
import { JobAttempts } from './job-attempts.ts';
import { JOB_LEASE_SECONDS } from './job-leases.ts';
import { openJobReconciler } from './job-reconciler.ts';
import { makeSettleFailure } from './settle-failure.ts';

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

/** The job table that all processes share, its clock, and the running attempts. `step` releases the table's pending responses. */
class World {
  readonly rows = new Map<string, Row>();
  readonly ends = new Map<string, number>();
  running: Running[] = [];
  /** Violations: jobs with two concurrent attempts in one process, or claimed by a process whose attempt had not stopped. */
  readonly twice: string[] = [];
  late: (() => void)[] = [];
  nowMs = 0;
  isUnavailable = false;

  change(id: string, change: Partial<Row>): void {
    const row = this.rows.get(id);
    if (row !== undefined) this.rows.set(id, { ...row, ...change });
  }

  heldBy(owner: string, id: string): boolean {
    const row = this.rows.get(id);
    return row?.owner === owner && row.status === 'running';
  }

  async respond<T>(value: T): Promise<T> {
    if (this.isUnavailable) throw new Error('the database is unavailable');
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
    const isHeld = world.heldBy(name, id);
    if (isHeld) {
      world.change(id, { status });
      world.ends.set(id, (world.ends.get(id) ?? 0) + 1);
    }
    await world.respond(undefined);
    const job = world.rows.get(id);
    return isHeld && job !== undefined ? { job } : undefined;
  };
  const attempts = new JobAttempts({
    leases: { postpone: async () => undefined },
    log,
    maxRunning: 2,
    maxQueued: 10,
  });
  const settleFailure = makeSettleFailure<Row, Ended>({
    jobs: { find: (_, id) => world.respond(world.rows.get(id)) },
    leases: {
      retry: async (id, seconds) => {
        if (world.heldBy(name, id)) world.change(id, { leaseUntilMs: world.nowMs + seconds * 1_000 });
        await world.respond(undefined);
      },
    },
    policy: ATTEMPT_POLICIES.jobs,
    failJob: (job) => end(job.id, 'error'),
    log,
  });
  /** An attempt that lasts until it is settled, also after it has been aborted. */
  const run = async (job: Row): Promise<void> => {
    using attempt = attempts.begin(job);
    if (attempt === undefined) return;
    const { signal } = attempt;
    try {
      await attempt.acquireSlot();
      if (world.running.some((one) => one.process === name && one.jobId === job.id)) world.twice.push(job.id);
      const goesWell = await new Promise<boolean>((resolve) =>
        world.running.push({ process: name, jobId: job.id, settle: resolve }),
      );
      signal.throwIfAborted();
      if (!goesWell) throw new AppError('unavailable', 'the attempt failed');
      await end(job.id, 'done');
    } catch (error) {
      if (!signal.aborted) await settleFailure(job, error);
    }
  };
  const reconciler = openJobReconciler<Row>({
    attempts,
    renew: (ids) => {
      const held = ids.filter((id) => world.heldBy(name, id));
      if (!world.isUnavailable) for (const id of held) world.change(id, { leaseUntilMs: world.nowMs + LEASE_MS });
      return world.respond(new Set(held));
    },
    claimExpired: (limit, except) => {
      const free = rows().filter(({ id, status, leaseUntilMs }) => {
        return status === 'running' && leaseUntilMs < world.nowMs && !except.includes(id);
      });
      const taken = world.isUnavailable ? [] : free.slice(0, limit);
      world.twice.push(...attempts.runningJobIds.filter((id) => taken.some((one) => one.id === id)));
      for (const { id, attempts: made } of taken)
        world.change(id, { owner: name, attempts: made + 1, leaseUntilMs: world.nowMs + LEASE_MS });
      const jobs = taken.flatMap(({ id }) => world.rows.get(id) ?? []);
      return world.respond(jobs.map((job) => ({ job, isPoison: isPoison(job.attempts - 1), trace: {} })));
    },
    resume: (job) => void run(job),
    failJob: (job) => end(job.id, 'error'),
    log,
  });
  reconciler.close();
  return { name, run, round: () => reconciler.runNow() };
}

type Process = ReturnType<typeof openProcess>;

const JOBS = ['a', 'b', 'c', 'd'];
const job = fc.constantFrom(...JOBS);
const move = fc.oneof(
  { weight: 4, arbitrary: fc.record({ move: fc.constant('round' as const), process: fc.nat(2) }) },
  { weight: 4, arbitrary: fc.record({ move: fc.constant('respond' as const), which: fc.nat(5) }) },
  fc.record({ move: fc.constant('wait' as const), ms: fc.integer({ min: 500, max: 20_000 }) }),
  fc.record({ move: fc.constant('begin' as const), job }),
  fc.record({ move: fc.constant('settle' as const), which: fc.nat(7), goesWell: fc.boolean() }),
  fc.record({ move: fc.constant('steal' as const), job }),
  fc.record({ move: fc.constant('die' as const), process: fc.integer({ min: 1, max: 2 }) }),
  fc.record({ move: fc.constant('database' as const), isUnavailable: fc.boolean() }),
);
type Move = typeof move extends fc.Arbitrary<infer M> ? M : never;

/** Three processes. Each job is created by one of them, which starts its first attempt at a random time. */
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
    if (one.move === 'database') world.isUnavailable = one.isUnavailable;
    if (one.move === 'die') {
      this.alive = this.alive.filter(({ name }) => name !== `p${one.process}`);
      world.running = world.running.filter(({ process }) => process !== `p${one.process}`);
    }
  }

  hasEnded(): boolean {
    return [...this.world.rows.values()].every(({ status }) => status !== 'running');
  }

  /** Lets every job end without further faults. */
  async settleDown(): Promise<void> {
    this.world.isUnavailable = false;
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

describe('job reconcilers of several processes', () => {
  it('never run two attempts at a job in one process and end every job once, under crashes, delays and lost leases', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(move, { maxLength: 60, size: 'max' }), async (moves) => {
        const fleet = new Fleet();
        for (const one of moves) {
          fleet.make(one);
          await fleet.world.step(one.move === 'respond' ? one.which : Number.MAX_SAFE_INTEGER);
        }
        await fleet.settleDown();
        expect([fleet.world.twice, fleet.hasEnded()]).toEqual([[], true]);
        expect(JOBS.map((id) => fleet.world.ends.get(id))).toEqual(JOBS.map(() => 1));
      }),
      { numRuns: 300 },
    );
  });
});
