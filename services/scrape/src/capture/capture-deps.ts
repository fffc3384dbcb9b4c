import type { PageRow } from '@tidemark/contracts/page/v1/page';
import type { RequestedWait } from '@tidemark/host-pace';
import type { PageGraph, ReadTask } from '@tidemark/page-reader';
import type { RobotsDecision } from '@tidemark/robots';
import type { Evidence } from '../domain/attempt.ts';
import type { LadderResult } from '../domain/fingerprint.ts';
import type { Rung } from '../domain/ladder.ts';
import type { OpenLogin } from '../domain/login.ts';
import type { StoredContent } from '../domain/page-row.ts';
import type { PageTask, PriorityClass } from '../domain/page-task.ts';
import type { Engine, ExitRoute } from '../domain/ports.ts';
import type { LoginDeletions } from '../logins/login-deletions.ts';
import type { KeptReading } from '../reader/keep-bodies.ts';

/** A captured page: its row, its bodies as PageBodies bytes if any, and attachments. */
export interface Captured {
  readonly row: PageRow;
  readonly bodies: Uint8Array | undefined;
  /** Reference to stored bodies, or packed bodies to store; `bodies` may then be undefined. */
  readonly kept?: StoredContent | undefined;
  readonly graph?: PageGraph | undefined;
  readonly screenshot?: Uint8Array;
  readonly evidence?: Evidence;
  /** Why a requested extraction has no values; absent: it has, or none was requested. */
  readonly missingValues?: string | undefined;
  /** The site requested a wait. */
  readonly requestedWait?: RequestedWait | undefined;
  /** Time to the head of the response, ms; absent where it was not measured. */
  readonly latencyMs?: number | undefined;
}

/** An earlier capture of the same URL with the same capture key. */
export interface Earlier {
  readonly row: PageRow;
}

export interface ExitRequest {
  readonly workspaceId: string;
  readonly host: string;
  /** ISO 3166-1 alpha-2; empty: any. */
  readonly country: string;
  /** Pages of one session keep their exit; empty: no session. */
  readonly session: string;
  /** Exits that failed for this page. */
  readonly tried: readonly string[];
}

/** The exits of the deployment, which browser-pool owns. */
export interface ExitPool {
  readonly isEmpty: boolean;
  /** Leases an exit for one attempt; undefined where none is fit for use or browser-pool is unavailable. Never rejects. */
  lease(request: ExitRequest): Promise<ExitRoute | undefined>;
  /** Reports the result of the attempt, which ends the lease. */
  report(workspaceId: string, route: ExitRoute, outcome: 'read' | 'refused' | 'failed', bytes: number): void;
}

export interface CaptureDeps {
  readonly ladder: readonly Rung[];
  readonly engines: ReadonlyMap<string, Engine>;
  readonly robots: { check(url: string, withinMs?: number): Promise<RobotsDecision> };
  readonly reader: { read(task: ReadTask, priority: PriorityClass, workspaceId: string): Promise<KeptReading> };
  readonly exits: ExitPool;
  /** Fingerprints of similar pages. */
  readonly memory: {
    startRung(url: string): string | undefined;
    updateFingerprint(url: string, experience: LadderResult): void;
  };
  /** Opens the saved login a page is to be read with. */
  readonly openLogin: OpenLogin;
  /** Reports that a saved login was deleted while a page is read with it. */
  readonly loginDeletions: Pick<LoginDeletions, 'watch'>;
  /** Finds the newest stored page that may replace this one, of any age. */
  readonly findEarlier: (task: PageTask) => Promise<Earlier | undefined>;
  /** Returns the bodies a row references, as PageBodies bytes; undefined if they can't be read: the page is fetched. */
  readonly readBodies: (row: PageRow) => Promise<Uint8Array | undefined>;
  readonly now: () => Date;
}
