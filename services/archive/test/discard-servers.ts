import { openBlobs } from '@tidemark/blobs';
import { openFolderStates } from '@tidemark/blobs/folder-states';
import { events, newId } from '@tidemark/contracts';
import { ArchiveServiceService as Rpc } from '@tidemark/contracts/archive/v1/archive';
import { PageBodies, type PageRow } from '@tidemark/contracts/page/v1/page';
import { Bus, createLogger, outgoingEvent, type Peer } from '@tidemark/service';
import { callerIn, newWorkspace, pageRow, startTestServers, until } from '@tidemark/testkit';

/** An archive whose retention sweep runs ten times a second. */
export const SWEEPING = { SWEEP_SECONDS: '0.1', CATCH_UP_MINUTES: '0' } as const;

export interface TestRun {
  readonly workspaceId: string;
  readonly jobId: string;
}
export const newRun = (workspaceId = newWorkspace()): TestRun => ({ workspaceId, jobId: newId('run') });
export const newJob = (): TestRun => ({ workspaceId: newWorkspace(), jobId: newId('job') });

/** The servers of one suite about deletion; `peer` is the archive it queries. */
export async function startDiscardServers(peer: () => Peer) {
  const servers = await startTestServers();
  const blobs = servers.own(openBlobs(servers.env['BLOB_URL'] ?? ''));
  const bus = servers.own(await Bus.connect(servers.nats.url, 'test', createLogger('test', 'silent')));
  await bus.prepare();
  const { sql } = servers.database;

  const put = (text: string) => blobs.put(PageBodies.encode(PageBodies.create({ markdown: text })).finish());
  const rowOf = (text: string, content: Awaited<ReturnType<typeof put>>, id = newId('cap')) =>
    pageRow({ id, url: `https://example.com/${text}`, verdict: 'ok', crawledAt: new Date(), content });
  const publish = (run: TestRun, rows: readonly PageRow[]) =>
    bus.publish(
      events.pageCaptured.subject,
      rows.map((row) => outgoingEvent(events.pageCaptured, `page:${row.id}`, { ...run, row })),
    );
  const list = async ({ workspaceId, jobId }: TestRun, body = false) => {
    const bodies = body ? ['markdown'] : [];
    const request = { jobId, limit: 1_000, bodies, expect: 0, waitMs: 0, ids: [] };
    return (await peer().call(Rpc.listPages, request, callerIn(workspaceId))).pages;
  };
  const isEmpty = async (run: TestRun) => (await list(run)).length === 0;

  /** A capture as scrape makes one: the body durable first, then the row. @returns the body's name */
  async function capture(run: TestRun, text: string, id?: string): Promise<string> {
    const content = await put(text);
    const row = rowOf(text, content, id);
    await publish(run, [row]);
    await until('the page is stored', async () => (await list(run)).some((page) => page.row?.id === row.id));
    return content.sha256;
  }
  const states = servers.own(openFolderStates(servers.env['BLOB_URL'] ?? ''));
  return {
    ...servers,
    sql,
    bus,
    put,
    rowOf,
    publish,
    list,
    capture,
    isEmpty,
    bodyOf: async (run: TestRun) => PageBodies.decode((await list(run, true))[0]?.bodies ?? Buffer.alloc(0)).markdown,
    discard: ({ workspaceId, jobId }: TestRun) =>
      bus.publish(events.runDiscarded.subject, [
        outgoingEvent(events.runDiscarded, `discarded:${jobId}`, { runId: jobId, workspaceId, neededBy: '' }),
      ]),
    gone: (run: TestRun) => until('the deletion of the rows of the run', () => isEmpty(run)),
    isKept: (name: string) => states.stateOf(name) === 'stored',
    isInTrash: (name: string) => states.stateOf(name) === 'in_trash',
    candidates: (name: string) =>
      sql<{ in_trash: boolean; due: Date }>('SELECT in_trash, due FROM archive.blob_candidates WHERE sha256 = $1', [
        name,
      ]),
    /** Passes over the time a blob waits for its next step. */
    pass: (name: string) =>
      sql("UPDATE archive.blob_candidates SET due = now() - interval '1 second' WHERE sha256 = $1", [name]),
  };
}
export type DiscardServers = Awaited<ReturnType<typeof startDiscardServers>>;
