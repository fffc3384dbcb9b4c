import { ArchiveServiceService as Archive } from '@tidemark/contracts/archive/v1/archive';
import { type Page, PageBodies } from '@tidemark/contracts/page/v1/page';
import { type CallContext, Coalescer, type Peer } from '@tidemark/service';
import { StoredBlocks } from '../compare/stored-blocks.ts';
import type { PageContent, PageReading } from '../record/page-reading.ts';

const PAGES_AT_ONCE = 16;
const ASKED_AT_ONCE = 4;
const ASK_MS = 20_000;

type Wanted = Pick<PageReading, 'runId' | 'pageId'>;

/** The bodies of captures, asked for together where they are of one run. What is gone is undefined. */
export function makeReadBodies(archive: Peer, bodies: readonly string[], call: CallContext) {
  const read = async (wanted: readonly Wanted[]): Promise<readonly (PageBodies | undefined)[]> => {
    const found = new Map<string, Page>();
    const readRun = async (runId: string, ofRun: readonly Wanted[]): Promise<void> => {
      const ids = [...new Set(ofRun.map(({ pageId }) => pageId))];
      const asked = { jobId: runId, cursor: '', limit: ids.length, bodies: [...bodies], expect: 0, waitMs: 0, ids };
      const { pages } = await archive.call(Archive.listPages, asked, call, { deadlineMs: ASK_MS });
      for (const page of pages) found.set(page.row?.id ?? '', page);
    };
    const byRun = [...Map.groupBy(wanted, ({ runId }) => runId)];
    await Promise.all(byRun.map(([runId, ofRun]) => readRun(runId, ofRun)));
    return wanted.map(({ pageId }) => {
      const page = found.get(pageId);
      return page === undefined ? undefined : PageBodies.decode(page.bodies);
    });
  };
  const together = new Coalescer(read, { maxBatch: PAGES_AT_ONCE, maxWriters: ASKED_AT_ONCE });
  return (wanted: Wanted): Promise<PageBodies | undefined> =>
    wanted.pageId === '' ? Promise.resolve(undefined) : together.add(wanted);
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
