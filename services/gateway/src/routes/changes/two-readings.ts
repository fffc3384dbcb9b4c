import type { Run } from '@tidemark/contracts/crawl/v1/crawl';
import type { TwoReadings } from '@tidemark/contracts/diff/v1/diff';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import type { PageFinder } from '../pages/page-finder.ts';
import { mustRun } from '../runs/asked-run.ts';

export interface ReadingsWanted {
  /** The project. */
  readonly id: string;
  readonly url: string;
  /** The later reading's run; the latest finished full run by default. */
  readonly runId: string | undefined;
  /** The earlier reading's; by default that of the last good reading before it. */
  readonly from: string | undefined;
}

const VERSIONS_LOOKED_AT = 100;
const GOOD: readonly string[] = ['ok', 'thin', 'cached'];

/** Finds two stored readings of one page. */
export class ReadingFinder {
  readonly #projects: Peer;
  readonly #pages: PageFinder;

  constructor(projects: Peer, pages: PageFinder) {
    this.#projects = projects;
    this.#pages = pages;
  }

  /** @throws AppError not_found */
  async find(wanted: ReadingsWanted, call: CallContext): Promise<TwoReadings> {
    const { id, url, runId } = wanted;
    const run = await mustRun(this.#projects, { id, runId }, call);
    const afterPageId = await this.#pages.idOf(run, url, call);
    const before = await this.#earlier(run, wanted, call);
    const { projectId } = run;
    return { projectId, url, beforeRunId: before.runId, beforePageId: before.pageId, afterRunId: run.id, afterPageId };
  }

  async #earlier(run: Run, { id, url, from }: ReadingsWanted, call: CallContext) {
    if (from !== undefined) {
      const other = await mustRun(this.#projects, { id, runId: from }, call);
      return { runId: other.id, pageId: await this.#pages.idOf(other, url, call) };
    }
    const { versions } = await this.#pages.page(run, url, { bodies: [], versions: VERSIONS_LOOKED_AT }, call);
    // Ids of runs sort by their making.
    const before = versions.find(({ runId, verdict }) => runId < run.id && GOOD.includes(verdict));
    if (before === undefined) throw new AppError('not_found', 'there is no earlier good reading of this page');
    return before;
  }
}
