import { ArchiveServiceService as Archive } from '@tidemark/contracts/archive/v1/archive';
import type { Run } from '@tidemark/contracts/crawl/v1/crawl';
import type { ReadingPair } from '@tidemark/contracts/diff/v1/diff';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import { requireFinishedRun } from '../../queries/find-run.ts';
import { type PageFinder, projectRunOf } from '../../queries/page-finder.ts';

export interface ReadingsQuery {
  /** Id of the project. */
  readonly id: string;
  readonly url: string;
  /** Run of the later reading; by default the latest finished full run. */
  readonly runId: string | undefined;
  /** Run of the earlier reading; by default that of the last good reading before the later one. */
  readonly from: string | undefined;
}

/** Finds two stored readings of one page. */
export class ReadingFinder {
  readonly #projects: Peer;
  readonly #archive: Peer;
  readonly #pages: Pick<PageFinder, 'idOf'>;

  constructor(peers: { readonly projects: Peer; readonly archive: Peer }, pages: Pick<PageFinder, 'idOf'>) {
    this.#projects = peers.projects;
    this.#archive = peers.archive;
    this.#pages = pages;
  }

  /** @throws AppError not_found */
  async find(query: ReadingsQuery, call: CallContext): Promise<ReadingPair> {
    const { id, url, runId } = query;
    const run = await requireFinishedRun(this.#projects, { id, runId }, call);
    const afterPageId = await this.#pages.idOf(run, url, call);
    const before =
      query.from === undefined ? this.#lastGood(run, afterPageId, call) : this.#of(query.from, query, call);
    const { runId: beforeRunId, pageId: beforePageId } = await before;
    return { projectId: run.projectId, url, beforeRunId, beforePageId, afterRunId: run.id, afterPageId };
  }

  async #of(runId: string, { id, url }: ReadingsQuery, call: CallContext) {
    const run = await requireFinishedRun(this.#projects, { id, runId }, call);
    return { runId: run.id, pageId: await this.#pages.idOf(run, url, call) };
  }

  async #lastGood(run: Run, pageId: string, call: CallContext) {
    const request = { run: projectRunOf(run), pageId, bodies: [], versions: 1, beforeRunId: run.id };
    const [before] = (await this.#archive.call(Archive.getPage, request, call)).versions;
    if (before === undefined) throw new AppError('not_found', 'there is no earlier good reading of this page');
    return before;
  }
}
