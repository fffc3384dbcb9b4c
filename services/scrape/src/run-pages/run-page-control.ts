import type { PageWork } from '@tidemark/contracts/scrape/v1/work';
import type { Wait } from '@tidemark/host-pace';
import type { VisitControl } from '../visit/page-visitor.ts';
import type { HeldHosts } from './held-hosts.ts';
import type { PagesUnderWay, PageUnderWay } from './pages-under-way.ts';

/** Shortest wait that is reported, ms. */
const HELD_LEAST_MS = 500;
/** A work message that waits longer for its host, ms, releases its slot, for at most `UNDER_WAY_MAX` pages. */
const SET_ASIDE_MS = 2_000;
const UNDER_WAY_MAX = 4_000;
/** Pages in progress from which a message whose page waits for a model keeps its slot. */
const EXTRACTED_MAX = 500;

export interface RunPageControlDeps {
  readonly work: Pick<PageWork, 'runId' | 'host'>;
  readonly page: PageUnderWay;
  readonly underWay: PagesUnderWay;
  readonly held: HeldHosts;
  /** Releases the message's slot: its pages keep waiting while other messages are processed. */
  readonly setAside: () => void;
  readonly now: () => Date;
}

/** Decides for a page of a run whether it waits and is fetched, reports the hosts it waits for, and releases the slot of its message. */
export class RunPageControl implements VisitControl {
  readonly #deps: RunPageControlDeps;

  constructor(deps: RunPageControlDeps) {
    this.#deps = deps;
  }

  mayWait(): boolean {
    const { page } = this.#deps;
    page.isStarted = false;
    return !page.isWithdrawn;
  }

  mayFetch(): boolean {
    const { page } = this.#deps;
    page.isStarted = !page.stopped.signal.aborted;
    return page.isStarted;
  }

  /** Reports a host that is held to the run, once for each hold; it is repeated with the pages that wait. */
  onWait({ ms, why }: Wait): void {
    const { work, page, underWay, held, setAside, now } = this.#deps;
    if (why !== undefined && ms >= HELD_LEAST_MS) {
      const until = new Date(now().getTime() + ms);
      if (held.note(work.runId, work.host, { until, why })) underWay.report([page]);
    }
    if (ms >= SET_ASIDE_MS && underWay.size < UNDER_WAY_MAX) setAside();
  }

  /** Called before a model is called, which may take long: the message releases its slot. */
  onExtraction(): void {
    if (this.#deps.underWay.size < EXTRACTED_MAX) this.#deps.setAside();
  }
}
