import { ArchiveServiceService as Archive, type ReadingRef } from '@tidemark/contracts/archive/v1/archive';
import { AppError, codeOf } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import { pageKeys } from '@tidemark/web-url';
import { checkedProjectId } from '../requests/checked-project.ts';
import { findRun } from './find-run.ts';
import type { PageFinder } from './page-finder.ts';

/** A page of a project by its URL. */
export interface PageRef {
  /** Id of the project. */
  readonly id: string;
  readonly url: string;
}

/** A page of a project as the archive names it. */
export interface PageOfProject {
  readonly projectId: string;
  readonly urlKeys: Buffer[];
}

/** Finds readings of a page by time, in all runs of its project. */
export class PageHistory {
  readonly #projects: Peer;
  readonly #archive: Peer;
  readonly #pages: Pick<PageFinder, 'row'>;

  constructor(peers: { readonly projects: Peer; readonly archive: Peer }, pages: Pick<PageFinder, 'row'>) {
    this.#projects = peers.projects;
    this.#archive = peers.archive;
    this.#pages = pages;
  }

  /**
   * Returns the result of `read` for a page. The URL of a page can be another one than its readings are stored under, for example without
   * the parameters that the project ignores: the present run has it then.
   * @throws AppError not_found
   */
  async read<Result>(
    { id, url }: PageRef,
    call: CallContext,
    read: (page: PageOfProject) => Promise<Result>,
  ): Promise<Result> {
    const projectId = checkedProjectId(id);
    // A project that does not exist, or that the key may not see, is not_found here.
    const run = await findRun(this.#projects, { id }, call);
    try {
      return await read({ projectId, urlKeys: pageKeys(url) });
    } catch (error) {
      if (codeOf(error) !== 'not_found' || run === undefined) throw error;
      const row = await this.#pages.row(run, url, call);
      return read({ projectId, urlKeys: [Buffer.from(row.urlKey)] });
    }
  }

  /**
   * Returns the last good reading of a page that is not later than a time.
   * @throws AppError not_found if no reading of the page is stored; before_history if all are later
   */
  async readingAt(page: PageRef, at: string, call: CallContext): Promise<ReadingRef> {
    const { reading, completeSince } = await this.read(page, call, (of) =>
      this.#archive.call(Archive.findReading, { ...of, at: new Date(at) }, call),
    );
    if (reading !== undefined) return reading;
    const deleted =
      completeSince === undefined ? '' : `; readings up to ${completeSince.toISOString()} were deleted by retention`;
    throw new AppError('before_history', `no good reading of the page is stored at or before ${at}${deleted}`);
  }
}
