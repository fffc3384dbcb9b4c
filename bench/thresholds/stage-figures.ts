import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type Block, Landmark } from '@tidemark/contracts/page/v1/blocks';
import { type ClassifyInput, USUAL_CONTENT } from '@tidemark/page-reader';
import { missingWords } from '@tidemark/page-reader/testing/missing-words';
import { WITHOUT_TITLE } from '../content/timed-reading.ts';
import { isPassed, labelOf } from '../content/verdict-sets.ts';
import { casesOf, type PageCase, type PageSet, pathOf, SETS, scorePage, urlOf } from '../extraction/page-sets.ts';
import { bytesOf, CORPORA, listIn, numberIn, readCases, textIn } from '../shared/corpora.ts';
import type { Reader } from './load-reader.ts';

/** Scores of one page by the name of the figure, each from 0 to 1. More is better; absent: the page has no label for it. */
export type Scores = Readonly<Record<string, number>>;

/** One page of the sample: reads it and scores the result. */
export type ScorePage = (reader: Reader) => Scores;

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

/** The F1 of the text of labelled pages. */
function scoreTexts(step: number): ScorePage[] {
  return pagesOf(['articles', 'wcxb', 'segments', 'multilingual'], step).map(({ set, page, bytes }) => {
    const content = { ...USUAL_CONTENT, omitTitleHeading: WITHOUT_TITLE.has(page.folder) };
    return ({ decodeBody, readPage }) => {
      const { html } = decodeBody(bytes, undefined);
      const { text = '' } = readPage({ html, url: urlOf(page), content, outputs: new Set(['text']) });
      return { text: scorePage(set, page, { text, markdown: '' }).f1 };
    };
  });
}

/** The share of the words of the text that blocks of the content have. */
function scoreCoverage(step: number): ScorePage[] {
  return pagesOf(['wcxb', 'segments'], step * 2).map(({ page, bytes }) => ({ decodeBody, readPage }) => {
    const { html } = decodeBody(bytes, undefined);
    const { text = '', blocks } = readPage({
      html,
      url: urlOf(page),
      content: USUAL_CONTENT,
      outputs: new Set(['text']),
      cut: { volatileSelectors: [] },
    });
    const { words, missing } = missingWords(text, (blocks?.blocks ?? []).filter(isContent));
    return { coverage: 1 - missing.length / Math.max(1, words) };
  });
}

/** Right titles, dates and authors. */
function scoreFields(step: number): ScorePage[] {
  return pagesOf(['wcxb'], step).map(({ set, page, bytes }) => ({ decodeBody, readPage }) => {
    const { html } = decodeBody(bytes, undefined);
    const { head } = readPage({ html, url: urlOf(page), content: USUAL_CONTENT, outputs: new Set() });
    const { title, date, author } = scorePage(set, page, {
      text: '',
      markdown: '',
      title: head.headline ?? '',
      date: head.publishedAt ?? '',
      author: head.author ?? '',
    });
    return {
      ...(title === undefined ? {} : { title: Number(title) }),
      ...(date === undefined ? {} : { date: Number(date) }),
      ...(author === undefined ? {} : { author: Number(author) }),
    };
  });
}

/** The F1 of the structure of markdown. */
function scoreMarkdown(): ScorePage[] {
  return pagesOf(['defuddle'], 1).map(({ set, page, bytes }) => {
    const content = { ...USUAL_CONTENT, omitTitleHeading: WITHOUT_TITLE.has(page.folder) };
    return ({ decodeBody, readPage }) => {
      const { html } = decodeBody(bytes, undefined);
      const outputs = new Set(['text', 'markdown'] as const);
      const { text = '', markdown = '' } = readPage({ html, url: urlOf(page), content, outputs });
      return { structure: scorePage(set, page, { text, markdown }).structureF1 ?? 0 };
    };
  });
}

interface ProductLabels {
  readonly url: string;
  readonly price?: readonly string[];
  readonly availability?: readonly string[];
  readonly sku?: readonly string[];
  readonly brand?: readonly string[];
}

/** True if the value is one of the labels. No value is right for a page without a label. */
const isLabelled = (labels: readonly string[] = [], value: string | undefined): boolean =>
  value === undefined ? labels.length === 0 : labels.includes(value);

function stockOf(inStock: boolean | undefined): string | undefined {
  if (inStock === undefined) return undefined;
  return inStock ? 'InStock' : 'OutOfStock';
}

const decimal = (text: string): string => String(Number(text.trim()));

/** Right prices, availabilities, numbers and brands. */
function scoreProducts(step: number): ScorePage[] {
  const folder = join(CORPORA, 'products');
  const labels: Readonly<Record<string, ProductLabels>> = JSON.parse(readFileSync(join(folder, 'truth.json'), 'utf8'));
  return everyNth(Object.entries(labels), step).map(([id, truth]) => {
    const bytes = unpackedFile(join(folder, 'html', `${id}.html.gz`));
    return ({ decodeBody, readPage }) => {
      const { html } = decodeBody(bytes, 'text/html; charset=utf-8');
      const { product } = readPage({ html, url: truth.url, content: USUAL_CONTENT, outputs: new Set() });
      return {
        price: Number(isLabelled(truth.price?.map(decimal), product?.price?.toString())),
        stock: Number(isLabelled(truth.availability, stockOf(product?.inStock))),
        sku: Number(isLabelled(truth.sku, product?.sku)),
        brand: Number(isLabelled(truth.brand, product?.brand)),
      };
    };
  });
}

function verdictOf(
  { classify, decodeBody, readPage }: Reader,
  bytes: Uint8Array,
  url: string,
  httpStatus: number,
): string {
  const { html } = decodeBody(bytes, undefined);
  const { evidence } = readPage({ html, url, content: USUAL_CONTENT, outputs: new Set() });
  const input: ClassifyInput = {
    httpStatus,
    headers: {},
    evidence,
    requestedUrl: url,
    landedUrl: url,
    rendered: false,
    minWords: 0,
  };
  return labelOf(classify(input));
}

/** Right verdicts on the labelled pages, and accepted pages among real ones. */
function scoreVerdicts(step: number): ScorePage[] {
  const labelled = readCases('verdicts/index.json').map((entry): ScorePage => {
    const bytes = bytesOf('verdicts', entry);
    const url = textIn(entry, 'url') || 'https://example.com/page';
    return (reader) => {
      const found = verdictOf(reader, bytes, url, numberIn(entry, 'httpStatus'));
      return { verdicts: Number(listIn(entry, 'accept').includes(found)) };
    };
  });
  const real = pagesOf(['articles', 'wcxb', 'segments', 'multilingual'], step * 2);
  return [
    ...labelled,
    ...real.map(
      ({ page, bytes }): ScorePage =>
        (reader) => ({ 'real pages': Number(isPassed(verdictOf(reader, bytes, urlOf(page), 200))) }),
    ),
  ];
}

/** The pages that a stage is measured on, one of `step`, by the folder of the stage. Other stages have no labelled pages. */
export const STAGES: Readonly<Record<string, (step: number) => ScorePage[]>> = {
  page: scoreTexts,
  tree: (step) => [...scoreTexts(step), ...scoreCoverage(step)],
  head: scoreFields,
  filters: scoreTexts,
  landmarks: (step) => [...scoreTexts(step), ...scoreCoverage(step)],
  main: scoreTexts,
  markdown: scoreMarkdown,
  product: scoreProducts,
  blocks: scoreCoverage,
  evidence: scoreVerdicts,
  verdict: scoreVerdicts,
};
