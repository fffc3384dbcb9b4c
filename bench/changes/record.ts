import { createHash } from 'node:crypto';
import type { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { comparePages } from '../../services/diff/src/compare/compare-pages.ts';
import { countWords } from '../../services/diff/src/compare/tokens.ts';
import type { ComparedPage } from '../../services/diff/src/domain/compared-page.ts';
import { pageKey } from '../../services/diff/src/domain/page-key.ts';
import type { KnownPage, PageReading } from '../../services/diff/src/domain/page-reading.ts';
import type { Entry } from '../../services/diff/src/entries/entry.ts';
import { buildRecord, type RecordHead } from '../../services/diff/src/record/build-record.ts';
import type { RecordPorts } from '../../services/diff/src/record/ports.ts';
import { contentHash } from '../../services/scrape/src/content/blocks/content-hash.ts';

/** Pages of a site at one time, by URL. */
export type SiteReading = ReadonlyMap<string, PageBlocks>;

export interface PairRecord {
  readonly head: RecordHead;
  readonly entries: readonly Entry[];
}

/** Builds the change record between two complete readings of a site, without history. */
export async function recordBetween(before: SiteReading, after: SiteReading): Promise<PairRecord> {
  const [old, now] = [readingsOf('run_1', before), readingsOf('run_2', after)];
  const entries: Entry[] = [];
  const ports: RecordPorts = {
    knownPages: () => oneBatch(old.map(knownBy)),
    currentReadings: () => oneBatch(now),
    scope: { admits: () => true, admittedByBaseline: () => true },
    loadContent: async ({ runId, url }) => {
      const blocks = (runId === 'run_1' ? before : after).get(url);
      return blocks === undefined ? undefined : { blocks, fields: {} };
    },
    compareBlocks: async (a, b) => comparePages(a, b, { deadlineMs: 5_000 }),
    rederive: async () => undefined,
    verify: async (pages) => new Map(pages.map(({ pageKey: key, url }) => [key, missingAt(url)])),
    learnedVolatility: async () => ({ anchors: [], templates: [] }),
    spool: spoolInMemory(),
    sink: {
      entries: async (batch) => void entries.push(...batch),
      knownPages: async () => {},
      aliases: async () => {},
      volatility: async () => {},
    },
  };
  const head = await buildRecord(ports)({
    run: {
      id: 'run_2',
      projectId: 'prj_1',
      isRecrawl: false,
      status: 'done',
      stop: 'finished',
      isSeedRead: true,
      isSitemapUnreadable: false,
      isRobotsUnreadable: false,
      scopeHash: '',
      finishedAt: '2026-01-02T00:00:00.000Z',
    },
    baseline: { runId: 'run_1', startedAtMs: 0, isComplete: true, scopeHash: '' },
    selectorBreaks: 0,
    brokenFields: new Set(),
    templateChanges: 'fold',
  });
  return { head, entries };
}

const readingsOf = (runId: string, site: SiteReading): PageReading[] =>
  [...site]
    .map(([url, blocks]) => readingOf(runId, url, blocks))
    .sort((a, b) => (a.pageKey < b.pageKey ? -1 : a.pageKey > b.pageKey ? 1 : 0));

function readingOf(runId: string, url: string, page: PageBlocks): PageReading {
  return {
    pageKey: pageKey(url),
    url,
    requestedKeys: [],
    runId,
    pageId: `${runId} ${url}`,
    httpStatus: 200,
    verdict: 'ok',
    errorCode: 'OK',
    signals: [],
    title: page.head.find(({ name }) => name === 'title')?.value ?? '',
    spec: page.blocks.reduce((words, { text }) => words + countWords(text), 0),
    language: page.head.find(({ name }) => name === 'language')?.value ?? '',
    method: 'http',
    contentHash: contentHash(page).toString('hex'),
    comparedHash: comparedHash(page),
    blocksVersion: page.version,
    contentVariantKey: '',
    inLinks: 1,
  };
}

/** Computed as in a capture: over every block and all head fields. */
function comparedHash({ blocks, head }: PageBlocks): string {
  const sum = createHash('sha256');
  for (const { hash } of blocks) sum.update(hash);
  return sum.update(JSON.stringify(head)).digest('hex');
}

const knownBy = (good: PageReading): KnownPage => ({
  pageKey: good.pageKey,
  url: good.url,
  state: 'read',
  lastGood: good,
  lastVerdict: 'ok',
  absences: 0,
});

const missingAt = (url: string): PageReading => ({
  ...readingOf('run_2', url, { version: 1, blocks: [], sections: [], anchors: [], head: [] }),
  httpStatus: 404,
  verdict: 'blocked',
  errorCode: 'NOT_FOUND',
});

function spoolInMemory(): RecordPorts['spool'] {
  const pages: ComparedPage[] = [];
  return {
    put: async (page) => void pages.push(page),
    all: async function* () {
      yield* pages;
    },
  };
}

async function* oneBatch<Row>(rows: readonly Row[]): AsyncGenerator<readonly Row[]> {
  yield rows;
}
