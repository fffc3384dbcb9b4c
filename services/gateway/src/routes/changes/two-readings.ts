import { ArchiveServiceService as Archive } from '@tidemark/contracts/archive/v1/archive';
import type { Run } from '@tidemark/contracts/crawl/v1/crawl';
import { DiffServiceService as Diff, type ReadingPair } from '@tidemark/contracts/diff/v1/diff';
import { AppError, codeOf } from '@tidemark/errors';
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

const READABLE: ReadonlySet<string> = new Set(['ok', 'thin', 'cached']);

async function unlessNotFound<Found>(found: Promise<Found>): Promise<Found | undefined> {
  try {
    return await found;
  } catch (error) {
    if (codeOf(error) === 'not_found') return undefined;
    throw error;
  }
}

/** Finds two stored readings of one page. */
export class ReadingFinder {
  readonly #projects: Peer;
  readonly #archive: Peer;
  readonly #diff: Peer;
  readonly #pages: Pick<PageFinder, 'idOf'>;

  constructor(
    peers: { readonly projects: Peer; readonly archive: Peer; readonly diff: Peer },
    pages: Pick<PageFinder, 'idOf'>,
  ) {
    this.#projects = peers.projects;
    this.#archive = peers.archive;
    this.#diff = peers.diff;
    this.#pages = pages;
  }

  /**
   * As `find`, also for a page that a run added or removed: the id of the missing reading is then empty.
   * @throws AppError not_found
   */
  async findOrAbsent(query: ReadingsQuery, call: CallContext): Promise<ReadingPair> {
    const { id, url, runId } = query;
    if (query.from !== undefined) return this.find(query, call);
    const run = await requireFinishedRun(this.#projects, { id, runId }, call);
    const pair = { projectId: run.projectId, url, afterRunId: run.id };
    const after = await unlessNotFound(this.#pages.idOf(run, url, call));
    if (after === undefined) {
      const before = await this.#inBaseline(run, url, call);
      return { ...pair, beforeRunId: before.runId, beforePageId: before.pageId, afterPageId: '' };
    }
    const { before, verdict, isGone } = await this.#around(run, after, call);
    if (isGone && before !== undefined)
      return { ...pair, beforeRunId: before.runId, beforePageId: before.pageId, afterPageId: '' };
    if (!READABLE.has(verdict))
      throw new AppError(
        'not_found',
        `run ${run.id} could not read the page (${verdict}); choose another run with run_id`,
      );
    if (before !== undefined)
      return { ...pair, beforeRunId: before.runId, beforePageId: before.pageId, afterPageId: after };
    const baselineRunId = await this.#baselineOf(run, call);
    if (baselineRunId === '')
      throw new AppError(
        'not_found',
        `run ${run.id} is the first to read the page, and no earlier run exists to compare with; compare after the next run`,
      );
    return { ...pair, beforeRunId: baselineRunId, beforePageId: '', afterPageId: after };
  }

  /** Returns the page in the run that `run` was compared with. @throws AppError not_found */
  async #inBaseline(run: Run, url: string, call: CallContext) {
    const runId = await this.#baselineOf(run, call);
    const found =
      runId === ''
        ? undefined
        : await unlessNotFound(this.#of(runId, { id: run.projectId, url, runId: undefined, from: undefined }, call));
    if (found !== undefined) return found;
    const baseline = runId === '' ? '' : ` and neither does run ${runId}, which it was compared with`;
    throw new AppError('not_found', `run ${run.id} has no page with this URL${baseline}`);
  }

  /** Returns the run that a run was compared with; empty: none. @throws AppError conflict until its record is made */
  async #baselineOf({ id: runId, projectId }: Run, call: CallContext): Promise<string> {
    const request = { projectId, runId, after: 0, limit: 1, unreviewed: false };
    const { record } = await this.#diff.call(Diff.getRecord, request, call);
    if (record === undefined || record.status === 'making')
      throw new AppError('conflict', `the change record of run ${runId} is not made yet; try again in a second`);
    return record.baselineRunId;
  }

  async #around(run: Run, pageId: string, call: CallContext) {
    const request = { run: projectRunOf(run), pageId, bodies: [], versions: 1, beforeRunId: run.id };
    const { page, versions } = await this.#archive.call(Archive.getPage, request, call);
    const { verdict = '', errorCode = '' } = page?.page?.row ?? {};
    return { before: versions[0], verdict, isGone: verdict === 'blocked' && errorCode === 'NOT_FOUND' };
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
    if (before === undefined)
      throw new AppError(
        'not_found',
        `no run before ${run.id} could read this page, so there is nothing to compare with; choose two runs with run_id and from`,
      );
    return before;
  }
}
