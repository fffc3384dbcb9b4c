import type { PageRow } from '@tidemark/contracts/page/v1/page';
import type { Evidence } from '../domain/attempt.ts';
import type { LadderResult } from '../domain/fingerprint.ts';
import type { Rung } from '../domain/ladder.ts';
import type { OpenLogin } from '../domain/login.ts';
import type { PageGraph } from '../domain/page-graph.ts';
import type { StoredContent } from '../domain/page-row.ts';
import type { PageTask, PriorityClass } from '../domain/page-task.ts';
import type { Engine, ExitRoute } from '../domain/ports.ts';
import type { KeptReading } from '../reader/keep-bodies.ts';
import type { ReadTask } from '../reader/read-task.ts';
import type { RobotsDecision } from '../robots/robots-gate.ts';

/** A captured page: its row, its bodies as PageBodies bytes where there are any, and what is kept beside them. */
export interface Captured {
  readonly row: PageRow;
  readonly bodies: Uint8Array | undefined;
  /** Where the bodies are kept already, or packed to be: they may then be left out above. */
  readonly kept?: StoredContent | undefined;
  readonly graph?: PageGraph | undefined;
  readonly screenshot?: Uint8Array;
  readonly evidence?: Evidence;
  /** The site asked for its visitors to stay away for a while; undefined seconds: it did not say how long. */
  readonly requestedWait?: { readonly seconds: number | undefined };
}

/** An earlier capture of the same address, read the same way. */
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
  readonly reader: { read(task: ReadTask, priority: PriorityClass): Promise<KeptReading> };
  readonly exits: ExitPool;
  /** What is remembered of pages alike. */
  readonly memory: {
    startRung(url: string): string | undefined;
    updateFingerprint(url: string, experience: LadderResult): void;
  };
  /** Opens the saved login a page is to be read with. */
  readonly openLogin: OpenLogin;
  /** The newest stored page that could stand for this one, however old. */
  readonly findEarlier: (task: PageTask) => Promise<Earlier | undefined>;
  /** Returns the bodies a row references, as PageBodies bytes; undefined if they can't be read: the page is fetched. */
  readonly readBodies: (row: PageRow) => Promise<Uint8Array | undefined>;
  readonly now: () => Date;
}
