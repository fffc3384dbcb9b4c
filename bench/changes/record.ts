import { createHash } from 'node:crypto';
import type { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { contentHash } from '@tidemark/page-reader/stages';
import { comparePages } from '../../services/diff/src/comparison/compare-pages.ts';
import { countWords } from '../../services/diff/src/comparison/tokens.ts';
import type { ComparedPage } from '../../services/diff/src/domain/compared-page.ts';
import { pageKey } from '../../services/diff/src/domain/page-key.ts';
import type { KnownPage, PageReading } from '../../services/diff/src/domain/page-reading.ts';
import { buildRecord, type RecordHead } from '../../services/diff/src/records/build/build-record.ts';
import type { RecordPorts } from '../../services/diff/src/records/build/ports.ts';
import type { Entry } from '../../services/diff/src/records/entries/entry.ts';
import type { AnchorState } from '../../services/diff/src/volatility/anchor-state.ts';
import type { Template } from '../../services/diff/src/volatility/templates.ts';

/** Pages of a site at one time, by URL. */
export type SiteReading = ReadonlyMap<string, PageBlocks>;

export interface PairRecord {
  readonly head: RecordHead;
  readonly entries: readonly Entry[];
}

/** Builds the change record between two complete readings of a site, without history. */
export async function recordBetween(before: SiteReading, after: SiteReading): Promise<PairRecord> {
  return new RecordedSite(before).next(after);
}

/** A site whose readings are recorded one after the other. Keeps the last good readings and the learned volatility. */
export class RecordedSite {
  readonly #contents = new Map<string, PageBlocks>();
  readonly #known = new Map<string, KnownPage>();
  readonly #anchors = new Map<string, AnchorState>();
  readonly #templates: Template[] = [];
  #runs = 0;

  constructor(first: SiteReading) {
    for (const reading of this.#capture(first)) this.#known.set(reading.pageKey, knownBy(reading));
  }

  /** Builds the record of the next reading. */
  async next(site: SiteReading): Promise<PairRecord> {
    const baselineRunId = `run_${this.#runs}`;
    const now = this.#capture(site);
    const entries: Entry[] = [];
    const ports: RecordPorts = {
      ...this.#sources(now),
      sink: {
        entries: async (batch) => void entries.push(...batch),
        knownPages: async (pages) => {
          for (const page of pages) this.#known.set(page.pageKey, page);
        },
        aliases: async () => {},
        ignored: async () => {},
        volatility: async ({ anchors, removed, templates }) => {
          for (const anchor of removed) this.#anchors.delete(anchor);
          for (const state of anchors) this.#anchors.set(state.anchor, state);
          this.#templates.push(...templates);
        },
      },
    };
    const head = await buildRecord(ports)({
      run: {
        id: `run_${this.#runs}`,
        projectId: 'prj_1',
        isRecrawl: false,
        status: 'done',
        stop: 'finished',
        isSeedRead: true,
        isSitemapUnreadable: false,
        isRobotsUnreadable: false,
        scopeHash: '',
        finishedAt: '2026-01-02T00:00:00.000Z',
        estimate: undefined,
      },
      baseline: { runId: baselineRunId, startedAtMs: 0, isComplete: true, scopeHash: '' },
      selectorBreaks: 0,
      brokenFields: new Set(),
      templateChanges: 'fold',
      volatileOverrides: new Map(),
    });
    return { head, entries };
  }

  #sources(now: readonly PageReading[]): Omit<RecordPorts, 'sink'> {
    const known = [...this.#known.values()].sort(byKey);
    return {
      knownPages: () => oneBatch(known),
      currentReadings: () => oneBatch(now),
      scope: { admits: () => true, admittedByBaseline: () => true },
      loadContent: async ({ pageId }) => {
        const blocks = this.#contents.get(pageId);
        return blocks === undefined ? undefined : { blocks, fields: {} };
      },
      compareBlocks: async (a, b) => comparePages(a, b, { deadlineMs: 5_000 }),
      rederive: async () => undefined,
      verify: async (pages) => new Map(pages.map(({ pageKey: key, url }) => [key, missingAt(url)])),
      control: async () => new Map(),
      learnedVolatility: async () => ({ anchors: [...this.#anchors.values()], templates: [...this.#templates] }),
      spool: spoolInMemory(),
    };
  }

  #capture(site: SiteReading): PageReading[] {
    this.#runs += 1;
    const runId = `run_${this.#runs}`;
    return [...site]
      .map(([url, blocks]) => {
        const reading = readingOf(runId, url, blocks);
        this.#contents.set(reading.pageId, blocks);
        return reading;
      })
      .sort(byKey);
  }
}

const byKey = (a: { readonly pageKey: string }, b: { readonly pageKey: string }): number =>
  a.pageKey < b.pageKey ? -1 : a.pageKey > b.pageKey ? 1 : 0;

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
    words: page.blocks.reduce((words, { text }) => words + countWords(text), 0),
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
