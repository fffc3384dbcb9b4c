import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type Block, Landmark } from '@tidemark/contracts/page/v1/blocks';
import { USUAL_CONTENT } from '@tidemark/page-reader';
import { missingWords } from '@tidemark/page-reader/testing/missing-words';
import { mean } from '../content/scores.ts';
import { WITHOUT_TITLE } from '../content/timed-reading.ts';
import { casesOf, type PageCase, type PageSet, pathOf, SETS, scorePage, urlOf } from '../extraction/page-sets.ts';
import { bytesOf, type Case, CORPORA, listIn, numberIn, readCases, textIn } from '../shared/corpora.ts';
import type { Reader } from './load-variant.ts';

/** Figures of a stage by name, each from 0 to 1. More is better. */
export type Figures = ReadonlyMap<string, number>;

/** Reads the sampled pages with a reader and scores them. */
export type Measure = (reader: Reader) => Figures;

interface SetPage {
  readonly set: PageSet;
  readonly page: PageCase;
  readonly bytes: Uint8Array;
}

const everyNth = <T>(list: readonly T[], step: number): T[] => list.filter((_, at) => at % step === 0);

function unpackedFile(path: string): Uint8Array {
  const bytes = readFileSync(path);
  return path.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}

/** Pages of the extraction sets, one of `step`. */
function pagesOf(names: readonly string[], step: number): SetPage[] {
  return SETS.filter(({ name }) => names.includes(name)).flatMap((set) =>
    everyNth(casesOf(set), step).map((page) => ({ set, page, bytes: unpackedFile(pathOf(page)) })),
  );
}

const isContent = ({ landmark }: Block): boolean =>
  landmark === Landmark.LANDMARK_MAIN || landmark === Landmark.LANDMARK_UNSPECIFIED;

/** The mean F1 of the text of labelled pages. */
function measureText(step: number): Measure {
  const pages = pagesOf(['articles', 'wcxb', 'segments', 'multilingual'], step);
  return ({ decodeBody, readPage }) => {
    const scores = pages.map(({ set, page, bytes }) => {
      const { html } = decodeBody(bytes, undefined);
      const content = { ...USUAL_CONTENT, omitTitleHeading: WITHOUT_TITLE.has(page.folder) };
      const { text = '' } = readPage({ html, url: urlOf(page), content, outputs: new Set(['text']) });
      return scorePage(set, page, { text, markdown: '' }).f1;
    });
    return new Map([['text', mean(scores)]]);
  };
}

/** The share of the words of the text that blocks of the content have. */
function measureCoverage(step: number): Measure {
  const pages = pagesOf(['wcxb', 'segments'], step * 2);
  return ({ decodeBody, readPage }) => {
    const shares = pages.map(({ page, bytes }) => {
      const { html } = decodeBody(bytes, undefined);
      const { text = '', blocks } = readPage({
        html,
        url: urlOf(page),
        content: USUAL_CONTENT,
        outputs: new Set(['text']),
        cut: { volatileSelectors: [] },
      });
      const { words, missing } = missingWords(text, (blocks?.blocks ?? []).filter(isContent));
      return 1 - missing.length / Math.max(1, words);
    });
    return new Map([['coverage', mean(shares)]]);
  };
}

/** The shares of right titles, dates and authors. */
function measureFields(step: number): Measure {
  const pages = pagesOf(['wcxb'], step);
  return ({ decodeBody, readPage }) => {
    const scores = pages.map(({ set, page, bytes }) => {
      const { html } = decodeBody(bytes, undefined);
      const { head } = readPage({ html, url: urlOf(page), content: USUAL_CONTENT, outputs: new Set() });
      const { headline: title, publishedAt: date, author } = head;
      return scorePage(set, page, {
        text: '',
        markdown: '',
        ...(title === undefined ? {} : { title }),
        ...(date === undefined ? {} : { date }),
        ...(author === undefined ? {} : { author }),
      });
    });
    const shareOf = (name: 'title' | 'date' | 'author'): number =>
      mean(scores.flatMap((score) => (score[name] === undefined ? [] : [Number(score[name])])));
    return new Map([
      ['title', shareOf('title')],
      ['date', shareOf('date')],
      ['author', shareOf('author')],
    ]);
  };
}

/** The mean F1 of the structure of markdown. */
function measureMarkdown(): Measure {
  const pages = pagesOf(['defuddle'], 1);
  return ({ decodeBody, readPage }) => {
    const scores = pages.map(({ set, page, bytes }) => {
      const { html } = decodeBody(bytes, undefined);
      const content = { ...USUAL_CONTENT, omitTitleHeading: WITHOUT_TITLE.has(page.folder) };
      const { text = '', markdown = '' } = readPage({
        html,
        url: urlOf(page),
        content,
        outputs: new Set(['text', 'markdown']),
      });
      return scorePage(set, page, { text, markdown }).structureF1 ?? 0;
    });
    return new Map([['structure', mean(scores)]]);
  };
}

interface ProductLabels {
  readonly url: string;
  readonly price?: readonly string[];
  readonly availability?: readonly string[];
  readonly sku?: readonly string[];
  readonly brand?: readonly string[];
}

/** The shares of right prices, availabilities, numbers and brands. A value where the page has none is wrong. */
function measureProducts(step: number): Measure {
  const folder = join(CORPORA, 'products');
  const labels: Readonly<Record<string, ProductLabels>> = JSON.parse(readFileSync(join(folder, 'truth.json'), 'utf8'));
  const pages = everyNth(Object.entries(labels), step).map(([id, truth]) => ({
    truth,
    bytes: unpackedFile(join(folder, 'html', `${id}.html.gz`)),
  }));
  return ({ decodeBody, readPage }) => {
    const found = pages.map(({ truth, bytes }) => {
      const { html } = decodeBody(bytes, 'text/html; charset=utf-8');
      const { product } = readPage({ html, url: truth.url, content: USUAL_CONTENT, outputs: new Set() });
      return { truth, product };
    });
    const right = (values: readonly string[] = [], value: string | undefined): number =>
      Number(value === undefined ? values.length === 0 : values.includes(value));
    const stock = (inStock: boolean | undefined): string | undefined =>
      inStock === undefined ? undefined : inStock ? 'InStock' : 'OutOfStock';
    const price = (text: string): string => String(Number(text.trim()));
    return new Map([
      ['price', mean(found.map(({ truth, product }) => right(truth.price?.map(price), product?.price?.toString())))],
      ['stock', mean(found.map(({ truth, product }) => right(truth.availability, stock(product?.inStock))))],
      ['sku', mean(found.map(({ truth, product }) => right(truth.sku, product?.sku)))],
      ['brand', mean(found.map(({ truth, product }) => right(truth.brand, product?.brand)))],
    ]);
  };
}

const LABELS: Readonly<Record<string, string>> = {
  CAPTCHA: 'captcha',
  BLOCKED: 'blocked',
  LOGIN_REQUIRED: 'login',
  NOT_FOUND: 'notfound',
  SHELL: 'shell',
  NETWORK: 'error',
  RATE_LIMITED: 'ratelimited',
  GEO_RESTRICTED: 'blocked',
};

/** The shares of right verdicts on the labelled pages and of accepted pages among real ones. */
function measureVerdicts(step: number): Measure {
  const labelled = readCases('verdicts/index.json').map((entry) => ({ entry, bytes: bytesOf('verdicts', entry) }));
  const real = pagesOf(['articles', 'wcxb', 'segments', 'multilingual'], step * 4);
  return ({ classify, decodeBody, readPage }) => {
    const verdictOf = (bytes: Uint8Array, url: string, httpStatus: number): string => {
      const { html } = decodeBody(bytes, undefined);
      const { evidence } = readPage({ html, url, content: USUAL_CONTENT, outputs: new Set() });
      const { errorCode, verdict } = classify({
        httpStatus,
        headers: {},
        evidence,
        requestedUrl: url,
        landedUrl: url,
        rendered: false,
        minWords: 0,
      });
      return LABELS[errorCode] ?? (verdict === 'thin' ? 'thin' : 'ok');
    };
    const isRight = (entry: Case, bytes: Uint8Array): boolean => {
      const url = textIn(entry, 'url') || 'https://example.com/page';
      return listIn(entry, 'accept').includes(verdictOf(bytes, url, numberIn(entry, 'httpStatus')));
    };
    return new Map([
      ['verdicts', mean(labelled.map(({ entry, bytes }) => Number(isRight(entry, bytes))))],
      [
        'real pages',
        mean(real.map(({ page, bytes }) => Number(['ok', 'thin'].includes(verdictOf(bytes, urlOf(page), 200))))),
      ],
    ]);
  };
}

const together = (...measures: readonly Measure[]): Measure => {
  return (reader) => new Map(measures.flatMap((measure) => [...measure(reader)]));
};

/** How the stages are measured on one page of `step`, by the folder of the stage. The other stages have no labelled pages. */
export const STAGES: Readonly<Record<string, (step: number) => Measure>> = {
  page: measureText,
  tree: (step) => together(measureText(step), measureCoverage(step)),
  head: measureFields,
  filters: measureText,
  landmarks: (step) => together(measureText(step), measureCoverage(step)),
  main: measureText,
  markdown: measureMarkdown,
  product: measureProducts,
  blocks: measureCoverage,
  evidence: measureVerdicts,
  verdict: measureVerdicts,
};
