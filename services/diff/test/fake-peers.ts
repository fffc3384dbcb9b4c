import { createHash } from 'node:crypto';
import {
  ArchiveServiceService as Archive,
  type ArchivedPage,
  type TextVersion,
} from '@tidemark/contracts/archive/v1/archive';
import { type CoverageEstimate, CrawlServiceService as Crawl, Run } from '@tidemark/contracts/crawl/v1/crawl';
import { type Block, BlockKind, Landmark, PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { PageBodies, type PageRow, RunPage } from '@tidemark/contracts/page/v1/page';
import { RecaptureEngine, ScrapeServiceService as Scrape } from '@tidemark/contracts/scrape/v1/scrape';
import { AppError } from '@tidemark/errors';
import { toConfigMessage } from '@tidemark/project-config';
import { callerOf, defineService, handle } from '@tidemark/service';
import { pageRow, type RunningService, startService, withUnimplemented } from '@tidemark/testkit';
import { urlKey } from '@tidemark/web-url';

/** A page as a fake run captured it. */
export interface FakePage {
  readonly url: string;
  /** One block each. */
  readonly texts?: readonly string[];
  /** Blocks in an element of their own. */
  readonly boxed?: readonly string[];
  readonly html?: string;
  readonly row?: Partial<PageRow>;
  readonly known?: Partial<RunPage>;
}

/** A run stored by the fake peers. */
export interface FakeRun {
  readonly id: string;
  readonly workspaceId: string;
  readonly projectId: string;
  readonly pages: readonly FakePage[];
  readonly config?: Readonly<Record<string, unknown>>;
  readonly seed?: string;
  readonly coverage?: CoverageEstimate;
}

/** Fakes of archive, crawl and scrape. */
export interface FakePeers extends RunningService {
  add(run: FakeRun): void;
  /** Number of pages at the end of each run that are not listed yet. */
  unlistedPages: number;
  /** Runs whose captures were deleted. */
  readonly deletedRuns: Set<string>;
  /** Ids of captures whose bodies were loaded. */
  readonly loadedCaptures: string[];
  /** Result of a recapture by URL: a page, a status alone, or one page after the other, of which the last repeats; missing: 404. */
  readonly recaptures: Map<string, number | FakePage | readonly FakePage[]>;
  readonly recapturedUrls: string[];
  /** Result of a recapture by the browser, by URL; missing: as by plain HTTP. */
  readonly rendered: Map<string, FakePage>;
  /** Awaited before a response. */
  readonly blockers: Partial<Record<'run' | 'recapture' | 'rederive', () => Promise<void>>>;
}

const SEED = 'https://site.test/';
/** Fetch time of all pages. */
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
  linkTexts: [],
});

const blocksOf = ({ texts = [], boxed = [] }: FakePage): PageBlocks => ({
  version: 1,
  blocks: [...texts.map((text) => blockOf(text)), ...boxed.map((text) => blockOf(text, true))],
  sections: ['News'],
  anchors: ['main>p', 'main>aside>p'],
  head: [],
});

/** A page that is missing or refused. */
const refused = (url: string, httpStatus: number): FakePage => ({
  url,
  row: { verdict: 'blocked', errorCode: httpStatus === 404 ? 'NOT_FOUND' : 'BLOCKED', httpStatus },
});

/** Returns the paragraphs of a page except those of excluded classes. */
const textsOf = (html: string, excludedClasses: readonly string[]): string[] =>
  [...html.matchAll(/<p(?: class="(\w+)")?>(.*?)<\/p>/g)].flatMap(([, name = '', text = '']) =>
    excludedClasses.includes(`.${name}`) ? [] : [text],
  );

export const captureId = (runId: string, url: string): string => `cap_${runId}_${url}`;

function rowOf(runId: string, page: FakePage): PageRow {
  const hashOf = (...parts: unknown[]) => createHash('sha256').update(JSON.stringify(parts)).digest().subarray(0, 16);
  return pageRow({
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
    contentVariantKey: 'plain',
    formats: page.html === undefined ? [] : ['rawHtml'],
    ...page.row,
  });
}

function bodiesOf(page: FakePage, requested: readonly string[]): Buffer {
  const bodies = PageBodies.create();
  if (requested.includes('blocks')) bodies.blocks = Buffer.from(PageBlocks.encode(blocksOf(page)).finish());
  if (requested.includes('rawHtml') && page.html !== undefined) bodies.rawHtml = page.html;
  return Buffer.from(PageBodies.encode(bodies).finish());
}

function recaptureOf(url: string, round: number, result: number | FakePage | readonly FakePage[]): FakePage {
  if (typeof result === 'number') return refused(url, result);
  if ('url' in result) return result;
  return result[Math.min(round, result.length - 1)] ?? refused(url, 404);
}

export async function startFakePeers(): Promise<FakePeers> {
  const runs = new Map<string, FakeRun>();
  const state: Omit<FakePeers, keyof RunningService | 'add'> = {
    unlistedPages: 0,
    deletedRuns: new Set<string>(),
    loadedCaptures: [],
    recaptures: new Map<string, number | FakePage | readonly FakePage[]>(),
    recapturedUrls: [],
    rendered: new Map<string, FakePage>(),
    blockers: {},
  };
  const findRun = (id: string, workspaceId: string): FakeRun => {
    const run = runs.get(id);
    if (run === undefined || run.workspaceId !== workspaceId) throw new AppError('not_found', 'run not found');
    return run;
  };
  const archive = [
    handle(Archive.queryPages, async ({ run, after, limit }, ctx) => {
      const { id, pages } = findRun(run?.runId ?? '', callerOf(ctx).workspaceId);
      const listed = pages.slice(0, pages.length - state.unlistedPages);
      const shown = listed.slice(after, after + limit).map(
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
      return { pages: shown, last, isMore: last < listed.length || state.unlistedPages > 0, total: pages.length };
    }),
    handle(Archive.listVersions, async ({ projectId, urlKeys }, ctx) => {
      const { workspaceId } = callerOf(ctx);
      const ofProject = [...runs.values()].filter(
        (run) => run.projectId === projectId && run.workspaceId === workspaceId,
      );
      const versions = ofProject.flatMap(({ id, pages }, day): TextVersion[] =>
        pages.flatMap((page) => {
          const isNamed = urlKeys.some((key) => urlKey(page.url) === Buffer.from(key).toString('hex'));
          if (!isNamed || state.deletedRuns.has(id)) return [];
          const since = new Date(Date.UTC(2026, 0, 1 + day));
          const reading = { runId: id, pageId: captureId(id, page.url), crawledAt: since };
          const { verdict, words, language } = rowOf(id, page);
          return [{ first: reading, last: reading, since, readings: 1, verdict, words, language, hasHtml: false }];
        }),
      );
      if (versions.length === 0) throw new AppError('not_found', 'no reading of this URL is stored in the project');
      const hasDeleted = ofProject.some(({ id }) => state.deletedRuns.has(id));
      const completeSince = hasDeleted ? new Date(Date.UTC(2026, 0, 1)) : undefined;
      return { versions: versions.reverse(), isMore: false, unread: [], completeSince };
    }),
    handle(Archive.listPages, async ({ jobId, ids, bodies }, ctx) => {
      const { pages } = findRun(jobId, callerOf(ctx).workspaceId);
      const requested = pages.filter(({ url }) => ids.includes(captureId(jobId, url)));
      state.loadedCaptures.push(...requested.map(({ url }) => captureId(jobId, url)));
      const shown = requested.map((page) => ({ row: rowOf(jobId, page), bodies: bodiesOf(page, bodies) }));
      return { pages: shown, nextCursor: '' };
    }),
  ];
  const crawl = [
    handle(Crawl.getRun, async ({ id }, ctx) => {
      const { projectId, config, seed = SEED, coverage } = findRun(id, callerOf(ctx).workspaceId);
      await state.blockers.run?.();
      const run = Run.fromPartial({
        id,
        seed,
        status: 'done',
        trigger: 'api',
        projectId,
        createdAt: new Date(0),
        coverage,
      });
      return { run, log: [], config: toConfigMessage({ ...config }) };
    }),
    handle(Crawl.checkUrls, async ({ urls, scope }) => ({
      outOfScope: urls.flatMap((url, at) => (scope?.excludePaths.some((path) => url.includes(path)) ? [at] : [])),
    })),
  ];
  const scrape = [
    handle(Scrape.recapture, async ({ url, engine }) => {
      state.recapturedUrls.push(url);
      await state.blockers.recapture?.();
      const rendered = engine === RecaptureEngine.RECAPTURE_ENGINE_BROWSER ? state.rendered.get(url) : undefined;
      const round = state.recapturedUrls.filter((one) => one === url).length - 1;
      const shown = rendered ?? recaptureOf(url, round, state.recaptures.get(url) ?? 404);
      const row = rowOf(`recapture${state.recapturedUrls.length}`, shown);
      return { page: { row, bodies: bodiesOf(shown, ['blocks']) } };
    }),
    handle(Scrape.rereadStored, async ({ page, options }) => {
      await state.blockers.rederive?.();
      const matching = [...runs.values()].flatMap(({ id, pages }) =>
        pages.filter(({ url }) => captureId(id, url) === page?.id),
      );
      const html = matching[0]?.html;
      if (html === undefined || page === undefined) throw new AppError('not_found', 'HTML not stored');
      const reread = { ...matching[0], url: page.url, texts: textsOf(html, options?.excludeSelectors ?? []) };
      return { page: { row: { ...rowOf('reread', reread), id: page.id }, bodies: bodiesOf(reread, ['blocks']) } };
    }),
  ];
  const definition = defineService({
    name: 'fleet',
    config: {},
    async start(app) {
      app.serve(Archive, withUnimplemented(Archive, archive));
      app.serve(Crawl, withUnimplemented(Crawl, crawl));
      app.serve(Scrape, withUnimplemented(Scrape, scrape));
    },
  });
  return Object.assign(state, await startService(definition, {}), {
    add: (run: FakeRun) => {
      runs.set(run.id, run);
    },
  });
}
