import type { MethodDefinition } from '@grpc/grpc-js';
import { ArchiveServiceService as Archive, ListPagesRequest } from '@tidemark/contracts/archive/v1/archive';
import { CrawlServiceService as Crawl, Run } from '@tidemark/contracts/crawl/v1/crawl';
import type { RunPage } from '@tidemark/contracts/page/v1/page';
import { ScrapeServiceService as Scrape } from '@tidemark/contracts/scrape/v1/scrape';
import { AppError } from '@tidemark/errors';
import { callerOf, defineService, handle, type Peer } from '@tidemark/service';
import { dialAsOperator, type RunningService, startService, withUnimplemented } from '@tidemark/testkit';
import type { BenchRun } from '../archive/rows.ts';

const SEED = 'https://site-1.example.com/';
const CALL_TIMEOUT_MS = 60_000;

/** Calls of diff for one record, with times in milliseconds of the monotonic clock. */
export class RecordedCalls {
  /** Start of the last attempt. */
  begunAtMs = 0;
  /** Number of attempts; more than one where rows had not arrived. */
  attempts = 0;
  rowsAtMs = 0;
  bodiesAtMs = 0;
  readonly opened = new Set<string>();
}

/** The peers of diff and the archive: fake crawl and scrape, and a recording proxy of the real archive. */
export interface Peers extends RunningService {
  /** Adds a finished run with all its pages. */
  add(run: BenchRun, pages: readonly RunPage[]): void;
  /** Sets the address of the real archive. */
  reach(archiveAddress: string): Promise<void>;
  /** The archive without the recording proxy. @throws Error before its address is set */
  archive(): Peer;
  calls: RecordedCalls;
}

export async function startPeers(): Promise<Peers> {
  const runs = new Map<string, { readonly run: BenchRun; readonly pages: readonly RunPage[] }>();
  const peers = { calls: new RecordedCalls() };
  let archive: Peer | undefined;
  const found = (id: string, workspaceId: string) => {
    const known = runs.get(id);
    if (known?.run.workspaceId !== workspaceId) throw new AppError('not_found', 'run not found');
    return known;
  };
  const crawl = [
    handle(Crawl.getRun, async ({ id, withConfig }, ctx) => {
      const { run } = found(id, callerOf(ctx).workspaceId);
      if (withConfig) {
        peers.calls.begunAtMs = performance.now();
        peers.calls.attempts += 1;
      }
      const [createdAt, finishedAt] = [new Date(0), new Date()];
      const fields = {
        id,
        seed: SEED,
        status: 'done' as const,
        trigger: 'api' as const,
        projectId: run.projectId,
        createdAt,
        startedAt: createdAt,
        finishedAt,
      };
      return { run: Run.fromPartial(fields), log: [], configJson: '{}' };
    }),
  ];
  const forwarded = Object.values(Archive).map((method) =>
    handle(asBytes(method.path), async (request, ctx) => {
      if (archive === undefined) throw new AppError('unavailable', 'the archive is not up yet');
      const response = await archive.call(asBytes(method.path), request, ctx, { deadlineMs: CALL_TIMEOUT_MS });
      record(peers.calls, method.path, request);
      return response;
    }),
  );
  const definition = defineService({
    name: 'peers',
    config: {},
    async start(app) {
      app.serve(Archive, forwarded);
      app.serve(Crawl, withUnimplemented(Crawl, crawl));
      app.serve(Scrape, withUnimplemented(Scrape, []));
    },
  });
  return Object.assign(peers, await startService(definition, {}), {
    add: (run: BenchRun, pages: readonly RunPage[]) => void runs.set(run.runId, { run, pages }),
    async reach(archiveAddress: string) {
      await archive?.close();
      archive = dialAsOperator('archive', archiveAddress);
    },
    archive() {
      if (archive === undefined) throw new Error('the archive is not up yet');
      return archive;
    },
  });
}

function record(calls: RecordedCalls, path: string, request: Buffer): void {
  if (path === Archive.queryPages.path) calls.rowsAtMs = performance.now();
  if (path !== Archive.listPages.path) return;
  calls.bodiesAtMs = performance.now();
  for (const id of ListPagesRequest.decode(request).ids) calls.opened.add(id);
}

const same = (bytes: Buffer): Buffer => bytes;

/** Defines a method that forwards its messages unchanged. */
const asBytes = (path: string): MethodDefinition<Buffer, Buffer> => ({
  path,
  requestStream: false,
  responseStream: false,
  requestSerialize: same,
  requestDeserialize: same,
  responseSerialize: same,
  responseDeserialize: same,
});
