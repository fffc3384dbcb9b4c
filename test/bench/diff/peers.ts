import type { MethodDefinition } from '@grpc/grpc-js';
import { ArchiveServiceService as Archive, ListPagesRequest } from '@tidemark/contracts/archive/v1/archive';
import { CrawlServiceService as Crawl, Run } from '@tidemark/contracts/crawl/v1/crawl';
import type { RunPage } from '@tidemark/contracts/page/v1/page';
import { ScrapeServiceService as Scrape } from '@tidemark/contracts/scrape/v1/scrape';
import { AppError } from '@tidemark/errors';
import { callerOf, defineService, dial, handle, type Peer } from '@tidemark/service';
import { type RunningService, startService, withRest } from '@tidemark/testkit';
import type { BenchRun } from '../archive/rows.ts';

const SEED = 'https://site-1.example.com/';
const ASK_MS = 60_000;

/** What diff asked for of one record, and when, in milliseconds of the monotonic clock. */
export class Heard {
  /** When it began: of several attempts, the last. */
  begunAtMs = 0;
  /** How often it began; more than once where rows were still on their way. */
  attempts = 0;
  rowsAtMs = 0;
  bodiesAtMs = 0;
  readonly opened = new Set<string>();
}

/** What diff and the archive ask others for. Crawl and scrape are made up; the archive is the real one, listened in on. */
export interface Peers extends RunningService {
  /** A run that has ended, with all its pages. */
  add(run: BenchRun, pages: readonly RunPage[]): void;
  /** Where the real archive is. */
  reach(archiveAddress: string): Promise<void>;
  /** The archive, without being listened in on. @throws Error before it is reached */
  archive(): Peer;
  heard: Heard;
}

export async function startPeers(): Promise<Peers> {
  const runs = new Map<string, { readonly run: BenchRun; readonly pages: readonly RunPage[] }>();
  const face = { heard: new Heard() };
  let archive: Peer | undefined;
  const found = (id: string, workspaceId: string) => {
    const known = runs.get(id);
    if (known?.run.workspaceId !== workspaceId) throw new AppError('not_found', 'there is no such run');
    return known;
  };
  const crawl = [
    handle(Crawl.getRun, async ({ id, withConfig }, ctx) => {
      const { run } = found(id, callerOf(ctx).workspaceId);
      if (withConfig) {
        face.heard.begunAtMs = performance.now();
        face.heard.attempts += 1;
      }
      const [createdAt, finishedAt] = [new Date(0), new Date()];
      const told = {
        id,
        seed: SEED,
        status: 'done',
        projectId: run.projectId,
        createdAt,
        startedAt: createdAt,
        finishedAt,
      };
      return { run: Run.fromPartial(told), log: [], configJson: '{}' };
    }),
  ];
  const forwarded = Object.values(Archive).map((method) =>
    handle(asBytes(method.path), async (request, ctx) => {
      if (archive === undefined) throw new AppError('unavailable', 'the archive is not up yet');
      const answer = await archive.call(asBytes(method.path), request, ctx, { deadlineMs: ASK_MS });
      note(face.heard, method.path, request);
      return answer;
    }),
  );
  const definition = defineService({
    name: 'peers',
    config: {},
    async start(app) {
      app.serve(Archive, forwarded);
      app.serve(Crawl, withRest(Crawl, crawl));
      app.serve(Scrape, withRest(Scrape, []));
    },
  });
  return Object.assign(face, await startService(definition, {}), {
    add: (run: BenchRun, pages: readonly RunPage[]) => void runs.set(run.runId, { run, pages }),
    async reach(archiveAddress: string) {
      await archive?.close();
      archive = dial('archive', archiveAddress);
    },
    archive() {
      if (archive === undefined) throw new Error('the archive is not up yet');
      return archive;
    },
  });
}

function note(heard: Heard, path: string, request: Buffer): void {
  if (path === Archive.queryPages.path) heard.rowsAtMs = performance.now();
  if (path !== Archive.listPages.path) return;
  heard.bodiesAtMs = performance.now();
  for (const id of ListPagesRequest.decode(request).ids) heard.opened.add(id);
}

const same = (bytes: Buffer): Buffer => bytes;

/** A method whose messages are passed on as they are. */
const asBytes = (path: string): MethodDefinition<Buffer, Buffer> => ({
  path,
  requestStream: false,
  responseStream: false,
  requestSerialize: same,
  requestDeserialize: same,
  responseSerialize: same,
  responseDeserialize: same,
});
