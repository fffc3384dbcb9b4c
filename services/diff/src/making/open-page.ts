import { ArchiveServiceService as Archive } from '@tidemark/contracts/archive/v1/archive';
import { type Page, PageBodies } from '@tidemark/contracts/page/v1/page';
import { type CallContext, Coalescer, type Peer } from '@tidemark/service';
import { StoredBlocks } from '../compare/stored-blocks.ts';
import type { PageContent, PageReading } from '../record/page-reading.ts';

const PAGES_AT_ONCE = 16;
const ASKED_AT_ONCE = 4;
const ASK_MS = 20_000;

type Wanted = Pick<PageReading, 'runId' | 'pageId'>;

/** Captures with some of their bodies, asked for together where they are of one run. What is gone is undefined. */
export function makeFindCaptures(archive: Peer, bodies: readonly string[], call: CallContext) {
  const read = async (wanted: readonly Wanted[]): Promise<readonly (Page | undefined)[]> => {
    const found = new Map<string, Page>();
    const readRun = async (runId: string, ofRun: readonly Wanted[]): Promise<void> => {
      const ids = [...new Set(ofRun.map(({ pageId }) => pageId))];
      const asked = { jobId: runId, cursor: '', limit: ids.length, bodies: [...bodies], expect: 0, waitMs: 0, ids };
      const { pages } = await archive.call(Archive.listPages, asked, call, { deadlineMs: ASK_MS });
      for (const page of pages) found.set(page.row?.id ?? '', page);
    };
    const byRun = [...Map.groupBy(wanted, ({ runId }) => runId)];
    await Promise.all(byRun.map(([runId, ofRun]) => readRun(runId, ofRun)));
    return wanted.map(({ pageId }) => found.get(pageId));
  };
  const together = new Coalescer(read, { maxBatch: PAGES_AT_ONCE, maxWriters: ASKED_AT_ONCE });
  return (wanted: Wanted): Promise<Page | undefined> =>
    wanted.pageId === '' ? Promise.resolve(undefined) : together.add(wanted);
}

/** The bodies of captures. What is gone is undefined. */
export function makeReadBodies(archive: Peer, bodies: readonly string[], call: CallContext) {
  const find = makeFindCaptures(archive, bodies, call);
  return async (wanted: Wanted): Promise<PageBodies | undefined> => {
    const page = await find(wanted);
    return page && PageBodies.decode(page.bodies);
  };
}

/** What a page kept for comparison. */
export function makeOpenPage(archive: Peer, call: CallContext) {
  const readBodies = makeReadBodies(archive, ['blocks', 'fields'], call);
  return async (reading: Wanted): Promise<PageContent | undefined> => {
    const bodies = await readBodies(reading);
    if (bodies?.blocks === undefined) return undefined;
    return { blocks: new StoredBlocks(bodies.blocks), fields: JSON.parse(bodies.fieldsJson ?? '{}') };
  };
}
