import type { StopReason } from '@tidemark/contracts';
import { MAX_INTERRUPTIONS, poisonReason } from '@tidemark/leased-work';
import type { Run } from '../../domain/run/run.ts';
import { hasCoverage, outcomeOf, type PageEnds } from '../../domain/run/run-outcome.ts';
import type { FrontierStore } from '../../store/frontier/frontier-store.ts';
import type { LeaseStore, RunEnd } from '../../store/leases/lease-store.ts';
import type { RunStore } from '../../store/runs/run-store.ts';

export interface EndRunDeps {
  readonly frontier: FrontierStore;
  readonly leases: LeaseStore;
  readonly runs: Pick<RunStore, 'get'>;
  /** Counts its pages by how they ended. */
  readonly countEnds: (run: Run) => Promise<PageEnds[]>;
  /** Releases the credits leased for pages that are left out. */
  readonly releaseCredits: (run: Run) => Promise<void>;
  /** Computes the link graph. */
  readonly countInLinks: (runNo: bigint) => Promise<void>;
  /** Counts its URLs by how they were found. */
  readonly noteFound: (run: Run) => Promise<void>;
  /** Estimates the number of pages of its site. */
  readonly noteCoverage: (run: Run) => Promise<void>;
  /** Stops workers from fetching its remaining pages. */
  readonly callOff: (runId: string) => Promise<void>;
  /** Publishes its pages with their link counts. @returns the project they were published for */
  readonly publishPages: (run: Run) => Promise<string | undefined>;
  /** Called once a run has ended for any reason. */
  readonly onEnded: (run: Run) => void;
  /** Starts a retention sweep: a cancelled run may belong to a deleted project. */
  readonly sweep: () => void;
}

export interface EndRun {
  /** Ends a run whose pages have all ended. It fails if none of them could be read. */
  end(run: Run, stop: StopReason): Promise<void>;
  /** Ends a run with an internal error. */
  fail(run: Run, why: string): Promise<void>;
  /** Ends a poison run. Its link graph is left out if its owners also died during the end. */
  failPoison(run: Run): Promise<void>;
  /** Completes the cleanup of a run that was cancelled. */
  cleanUp(run: Run): Promise<void>;
}

const POISON = `the run was stopped: ${poisonReason('worked on it')} without progress`;

export function makeEndRun({ frontier, leases, releaseCredits, onEnded, sweep, ...deps }: EndRunDeps): EndRun {
  const finalize = async (run: Run): Promise<string | undefined> => {
    await deps.callOff(run.id);
    await releaseCredits(run);
    // The end itself may be what ends the process.
    if (run.interruptions > 2 * MAX_INTERRUPTIONS) return run.projectId;
    await deps.countInLinks(run.no);
    await deps.noteFound(run);
    await deps.noteCoverage(run);
    return deps.publishPages(run);
  };
  const finish = async (run: Run, ended: Omit<RunEnd, 'publishedFor'>): Promise<void> => {
    const publishedFor = await finalize(run);
    if (await leases.finish(run.id, { ...ended, publishedFor })) onEnded(run);
  };
  const fail = async (run: Run, why: string): Promise<void> => {
    if (!(await frontier.leaveOut(run.id))) return;
    await finish(run, { status: 'error', stop: undefined, error: why, hasCoverage: false });
  };
  return {
    async end({ id }, stop) {
      if (!(await frontier.leaveOut(id))) return;
      // Loaded again: its pages have ended since its orchestration began.
      const run = await deps.runs.get(id);
      if (run === undefined) return;
      const { status, ...outcome } = outcomeOf(stop, await deps.countEnds(run));
      const error = 'error' in outcome ? outcome.error : undefined;
      await finish(run, { status, stop: outcome.stop, error, hasCoverage: hasCoverage(run, status) });
    },
    fail,
    failPoison: (run) => fail(run, POISON),
    async cleanUp(run) {
      if (!(await frontier.leaveOut(run.id))) return;
      const isDone = run.status === 'done' && hasCoverage(run, 'done');
      await leases.setTidied(run.id, { hasCoverage: isDone, publishedFor: await finalize(run) });
      onEnded(run);
      sweep();
    },
  };
}
