import { createHash } from 'node:crypto';
import { ArchiveServiceService as Archive, type ArchivedPage } from '@tidemark/contracts/archive/v1/archive';
import { CrawlServiceService as Crawl, Run } from '@tidemark/contracts/crawl/v1/crawl';
import { type Block, BlockKind, Landmark, PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { PageBodies, PageRow, RunPage } from '@tidemark/contracts/page/v1/page';
import { ScrapeServiceService as Scrape } from '@tidemark/contracts/scrape/v1/scrape';
import { AppError } from '@tidemark/errors';
import { callerOf, defineService, handle } from '@tidemark/service';
import { type RunningService, startService, withRest } from '@tidemark/testkit';

/** A page as a made-up run read it. */
export interface MadePage {
  readonly url: string;
  /** One block each. */
  readonly texts?: readonly string[];
  /** In a box of their own, one block each. */
  readonly boxed?: readonly string[];
  readonly html?: string;
  readonly row?: Partial<PageRow>;
  readonly known?: Partial<RunPage>;
}

/** A run that others have conducted and kept. */
export interface MadeRun {
  readonly id: string;
  readonly workspaceId: string;
  readonly projectId: string;
  readonly pages: readonly MadePage[];
  readonly config?: Readonly<Record<string, unknown>>;
  readonly seed?: string;
}

/** What diff asks others for, made up. */
export interface FakeFleet extends RunningService {
  add(run: MadeRun): void;
  /** Pages whose rows are still on their way. */
  late: number;
  /** Captures whose bodies were asked for. */
  readonly opened: string[];
  /** What a direct look at an address finds: a page, or a status alone; none: 404. */
  readonly answers: Map<string, number | MadePage>;
  readonly probed: string[];
  /** What an answer waits for. */
  readonly holds: Partial<Record<'run' | 'look' | 'reread', () => Promise<void>>>;
}

const SEED = 'https://site.test/';
/** When everything was fetched. */
const STARTED_AT = new Date();

const blockOf = (text: string, isBoxed = false): Block => ({
  hash: createHash('sha1').update(text).digest().subarray(0, 8),
  text,
  mask: '',
  landmark: Landmark.LANDMARK_MAIN,
  kind: BlockKind.BLOCK_KIND_PARAGRAPH,
  section: 1,
  anchor: isBoxed ? 2 : 1,
  links: [],
});

const blocksOf = ({ texts = [], boxed = [] }: MadePage): PageBlocks => ({
  version: 1,
  blocks: [...texts.map((text) => blockOf(text)), ...boxed.map((text) => blockOf(text, true))],
  sections: ['News'],
  anchors: ['main>p', 'main>aside>p'],
  head: [],
});

/** A page that is there no more, or not for us. */
const refused = (url: string, httpStatus: number): MadePage => ({
  url,
  row: { verdict: 'blocked', errorCode: httpStatus === 404 ? 'NOT_FOUND' : 'BLOCKED', httpStatus },
});

/** The paragraphs of a page, but for those of the classes left out. */
const textsOf = (html: string, leftOut: readonly string[]): string[] =>
  [...html.matchAll(/<p(?: class="(\w+)")?>(.*?)<\/p>/g)].flatMap(([, name = '', text = '']) =>
    leftOut.includes(`.${name}`) ? [] : [text],
  );

export const captureId = (runId: string, url: string): string => `cap_${runId}_${url}`;

function rowOf(runId: string, page: MadePage): PageRow {
  const hashOf = (...said: unknown[]) => createHash('sha256').update(JSON.stringify(said)).digest().subarray(0, 16);
  return PageRow.fromPartial({
    id: captureId(runId, page.url),
    url: page.url,
    askedUrl: page.url,
    httpStatus: 200,
    verdict: 'ok',
    errorCode: 'OK',
    method: 'http',
    words: 50,
    title: `Title of ${page.url}`,
    language: 'en',
    contentHash: hashOf(page.texts, page.boxed),
    comparedHash: hashOf(page.texts, page.boxed),
    blocksVersion: 1,
    crawledAt: STARTED_AT,
    manner: 'plain',
    formats: page.html === undefined ? [] : ['rawHtml'],
    ...page.row,
  });
}

function bodiesOf(page: MadePage, wanted: readonly string[]): Buffer {
  const bodies = PageBodies.create();
  if (wanted.includes('blocks')) bodies.blocks = Buffer.from(PageBlocks.encode(blocksOf(page)).finish());
  if (wanted.includes('rawHtml') && page.html !== undefined) bodies.rawHtml = page.html;
  return Buffer.from(PageBodies.encode(bodies).finish());
}

export async function startFakeFleet(): Promise<FakeFleet> {
  const runs = new Map<string, MadeRun>();
  const face: Pick<FakeFleet, 'late' | 'opened' | 'answers' | 'probed' | 'holds'> = {
    late: 0,
    opened: [],
    answers: new Map<string, number | MadePage>(),
    probed: [],
    holds: {},
  };
  const found = (id: string, workspaceId: string): MadeRun => {
    const run = runs.get(id);
    if (run === undefined || run.workspaceId !== workspaceId) throw new AppError('not_found', 'there is no such run');
    return run;
  };
  const archive = [
    handle(Archive.queryPages, async ({ run, after, limit }, ctx) => {
      const { id, pages } = found(run?.runId ?? '', callerOf(ctx).workspaceId);
      const there = pages.slice(0, pages.length - face.late);
      const shown = there.slice(after, after + limit).map(
        (page, at): ArchivedPage => ({
          page: { row: rowOf(id, page), bodies: Buffer.alloc(0) },
          known: RunPage.fromPartial({
            number: after + at + 1,
            foundVia: page.url === SEED ? 'seed' : 'link',
            inLinks: 1,
            ...page.known,
          }),
        }),
      );
      const last = after + shown.length;
      return { pages: shown, last, isMore: last < there.length || face.late > 0, total: pages.length };
    }),
    handle(Archive.listPages, async ({ jobId, ids, bodies }, ctx) => {
      const { pages } = found(jobId, callerOf(ctx).workspaceId);
      const wanted = pages.filter(({ url }) => ids.includes(captureId(jobId, url)));
      face.opened.push(...wanted.map(({ url }) => captureId(jobId, url)));
      const shown = wanted.map((page) => ({ row: rowOf(jobId, page), bodies: bodiesOf(page, bodies) }));
      return { pages: shown, nextCursor: '' };
    }),
  ];
  const crawl = [
    handle(Crawl.getRun, async ({ id }, ctx) => {
      const { projectId, config, seed = SEED } = found(id, callerOf(ctx).workspaceId);
      await face.holds.run?.();
      const run = Run.fromPartial({ id, seed, status: 'done', projectId, createdAt: new Date(0) });
      return { run, log: [], configJson: JSON.stringify(config ?? {}) };
    }),
    handle(Crawl.judgeAddresses, async ({ urls, scope }) => ({
      outOfScope: urls.flatMap((url, at) => (scope?.excludePaths.some((path) => url.includes(path)) ? [at] : [])),
    })),
  ];
  const scrape = [
    handle(Scrape.readAgain, async ({ url }) => {
      face.probed.push(url);
      await face.holds.look?.();
      const found = face.answers.get(url) ?? 404;
      const page = typeof found === 'number' ? refused(url, found) : found;
      const row = rowOf(`look${face.probed.length}`, page);
      return { page: { row, bodies: bodiesOf(page, ['blocks']) } };
    }),
    handle(Scrape.rereadStored, async ({ page, options }) => {
      await face.holds.reread?.();
      const made = [...runs.values()].flatMap(({ id, pages }) =>
        pages.filter(({ url }) => captureId(id, url) === page?.id),
      );
      const html = made[0]?.html;
      if (html === undefined || page === undefined) throw new AppError('not_found', 'its html is not stored');
      const anew = { ...made[0], url: page.url, texts: textsOf(html, options?.excludeSelectors ?? []) };
      return { page: { row: { ...rowOf('anew', anew), id: page.id }, bodies: bodiesOf(anew, ['blocks']) } };
    }),
  ];
  const definition = defineService({
    name: 'fleet',
    config: {},
    async start(app) {
      app.serve(Archive, withRest(Archive, archive));
      app.serve(Crawl, withRest(Crawl, crawl));
      app.serve(Scrape, withRest(Scrape, scrape));
    },
  });
  return Object.assign(face, await startService(definition, {}), {
    add: (run: MadeRun) => {
      runs.set(run.id, run);
    },
  });
}
