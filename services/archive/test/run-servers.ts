import { createHash } from 'node:crypto';
import { openBlobs } from '@tidemark/blobs';
import { events, newId } from '@tidemark/contracts';
import {
  type ExpectedPages,
  type QueryPagesRequest,
  ArchiveServiceService as Rpc,
  type SearchPagesRequest,
} from '@tidemark/contracts/archive/v1/archive';
import { PageBodies, PageRow, type RunPage } from '@tidemark/contracts/page/v1/page';
import { Bus, createLogger, outgoingEvent, type Peer } from '@tidemark/service';
import { callerIn, newWorkspace, startTestServers, until } from '@tidemark/testkit';

export interface ProjectRun {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly runId: string;
}
export const newProject = () => ({ workspaceId: newWorkspace(), projectId: newId('prj') });
export const newRunOf = (project = newProject()): ProjectRun => ({ ...project, runId: newId('run') });

/** A page of a made-up run: its URL, what it says, and what is unusual about it. */
export interface MadePage {
  readonly url: string;
  readonly markdown?: string;
  readonly rawHtml?: string;
  readonly row?: Partial<PageRow>;
  readonly known?: Partial<RunPage>;
}

/** Pages of a made-up site, each saying something of its own. */
export const site = (count: number, from = 0): MadePage[] =>
  Array.from({ length: count }, (_, i) => ({
    url: `https://example.com/${from + i}`,
    markdown: `page ${from + i} of the tides`,
  }));
export const urlsOf = (pages: readonly MadePage[]) => pages.map(({ url }) => url);

export const keyOf = (url: string): Buffer => createHash('sha256').update(url).digest();

const EVENTS_PER_MESSAGE = 500;

/** The servers of one suite about runs; `peer` is the archive it queries. */
export async function startRunServers(peer: () => Peer) {
  const servers = await startTestServers();
  const blobUrl = servers.env['BLOB_URL'] ?? '';
  const blobs = servers.own(openBlobs(blobUrl));
  const bus = servers.own(await Bus.connect(servers.nats.url, 'test', createLogger('test', 'silent')));
  await bus.prepare();

  async function rowOf({ url, markdown, rawHtml, row }: MadePage): Promise<PageRow> {
    const bodies = PageBodies.create({
      ...(markdown === undefined ? {} : { markdown }),
      ...(rawHtml === undefined ? {} : { rawHtml }),
    });
    const hasBody = markdown !== undefined || rawHtml !== undefined;
    const content = hasBody ? await blobs.put(PageBodies.encode(bodies).finish()) : undefined;
    const formats = [...(markdown === undefined ? [] : ['markdown']), ...(rawHtml === undefined ? [] : ['rawHtml'])];
    return PageRow.create({
      id: newId('cap'),
      url,
      askedUrl: url,
      verdict: 'ok',
      errorCode: 'OK',
      httpStatus: 200,
      method: 'http',
      tier: 'http',
      credits: 1,
      crawledAt: new Date(),
      urlKey: keyOf(url),
      timingsMs: { fetch: 20, read: 5 },
      formats,
      content,
      ...row,
    });
  }
  /** Publishes pages as scrape does, one message of them at a time. */
  async function publish({ workspaceId, runId }: ProjectRun, rows: readonly PageRow[]): Promise<void> {
    for (let from = 0; from < rows.length; from += EVENTS_PER_MESSAGE) {
      const published = rows.slice(from, from + EVENTS_PER_MESSAGE);
      await bus.publish(
        events.pageCaptured.subject,
        published.map((row) =>
          outgoingEvent(events.pageCaptured, `page:${row.id}`, { workspaceId, jobId: runId, row }),
        ),
      );
    }
  }
  const knownOf = (row: PageRow, number: number, more: Partial<RunPage> = {}): RunPage => ({
    pageId: row.id,
    number,
    foundVia: number === 1 ? 'seed' : 'link',
    firstReferer: '',
    inSitemap: false,
    depth: 1,
    inLinks: undefined,
    orphan: undefined,
    unlisted: undefined,
    ...more,
  });
  /** Pages of runs as crawl has recorded them. */
  const recorded = new Map<string, RunPage[]>();
  const recordedOf = ({ runId }: ProjectRun): RunPage[] => {
    const pages = recorded.get(runId) ?? [];
    recorded.set(runId, pages);
    return pages;
  };
  /** Publishes pages as crawl records them. `projectId` empty: of a run that has no project yet. */
  const publishRecorded = ({ runId, workspaceId, projectId }: ProjectRun, pages: readonly RunPage[]): Promise<void> => {
    const event = { runId, workspaceId, projectId, pages: [...pages] };
    return bus.publish(events.runPagesRecorded.subject, [outgoingEvent(events.runPagesRecorded, newId('req'), event)]);
  };

  /** Pages that end in a run: their rows, and what crawl recorded of them. */
  async function make(run: ProjectRun, pages: readonly MadePage[]): Promise<{ rows: PageRow[]; known: RunPage[] }> {
    const rows = await Promise.all(pages.map(rowOf));
    const all = recordedOf(run);
    const known = rows.map((row, i) => knownOf(row, all.length + i + 1, pages[i]?.known));
    all.push(...known);
    return { rows, known };
  }
  /** The same, as the archive gets them. `late`: their rows are still on their way. @returns the rows */
  async function read(run: ProjectRun, pages: readonly MadePage[], late = false): Promise<PageRow[]> {
    const { rows, known } = await make(run, pages);
    for (let from = 0; from < known.length; from += EVENTS_PER_MESSAGE)
      await publishRecorded(run, known.slice(from, from + EVENTS_PER_MESSAGE));
    if (!late) await publish(run, rows);
    return rows;
  }
  /** Publishes the pages of a run once more, their links counted. */
  async function publishFinal(run: ProjectRun, links: (page: RunPage) => Partial<RunPage> = () => ({})): Promise<void> {
    const final = recordedOf(run).map((page) => ({
      ...page,
      inLinks: page.inLinks ?? 1,
      orphan: page.orphan ?? false,
      unlisted: page.unlisted ?? false,
      ...links(page),
    }));
    for (let from = 0; from < final.length; from += EVENTS_PER_MESSAGE)
      await publishRecorded(run, final.slice(from, from + EVENTS_PER_MESSAGE));
  }
  /** Publishes the end of a run. */
  async function publishEnd(run: ProjectRun, pages = recordedOf(run).length): Promise<void> {
    const { runId, workspaceId, projectId } = run;
    const event = {
      runId,
      workspaceId,
      projectId,
      trigger: 'manual' as const,
      status: 'done' as const,
      stop: 'finished' as const,

      finishedAt: new Date(),
      pages,
      counts: {},
      creditsUsed: 0,
      hasCoverage: true,
    };
    await bus.publish(events.runFinished.subject, [outgoingEvent(events.runFinished, `finished:${runId}`, event)]);
  }
  /** The end of a run as crawl publishes it. */
  async function finish(run: ProjectRun, links?: (page: RunPage) => Partial<RunPage>): Promise<void> {
    await publishFinal(run, links);
    await publishEnd(run);
  }
  const { sql } = servers.database;
  const rested = (run: ProjectRun) =>
    until('the list, the settlement and the summary of the run', async () => {
      const [row] = await sql<{ state: string; due: Date | null }>(
        'SELECT state, due FROM archive.runs WHERE id = $1',
        [run.runId],
      );
      return row?.state === 'settled' && row.due === null;
    });
  const runOf = ({ runId, projectId }: ProjectRun, expected?: ExpectedPages) => ({ runId, projectId, expected });
  const query = (run: ProjectRun, more: Partial<QueryPagesRequest> = {}, caller = callerIn(run.workspaceId)) =>
    peer().call(Rpc.queryPages, { run: runOf(run), q: '', after: 0, limit: 100, bodies: [], ...more }, caller);
  const search = (run: ProjectRun, q: string, more: Partial<SearchPagesRequest> = {}) =>
    peer().call(Rpc.searchPages, { run: runOf(run), q, after: 0, limit: 100, ...more }, callerIn(run.workspaceId));
  return {
    ...servers,
    sql,
    bus,
    blobs,
    blobUrl,
    make,
    read,
    publish,
    publishRecorded,
    publishFinal,
    publishEnd,
    finish,
    rested,
    query,
    search,
    runOf,
    env: { ...servers.env, LIST_SECONDS: '0.1', SKETCH_AFTER_SECONDS: '0' },
    async whole(
      run: ProjectRun,
      pages: readonly MadePage[],
      links?: (page: RunPage) => Partial<RunPage>,
    ): Promise<PageRow[]> {
      const rows = await read(run, pages);
      await finish(run, links);
      await rested(run);
      return rows;
    },
    urls: async (run: ProjectRun, more: Partial<QueryPagesRequest> = {}) =>
      (await query(run, more)).pages.map(({ page }) => page?.row?.url),
    discard: ({ runId, workspaceId }: ProjectRun, neededBy = '') =>
      bus.publish(events.runDiscarded.subject, [
        outgoingEvent(events.runDiscarded, `discarded:${runId}`, { runId, workspaceId, neededBy }),
      ]),
  };
}
export type RunServers = Awaited<ReturnType<typeof startRunServers>>;
