import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type ClassifyInput, USUAL_CONTENT } from '@tidemark/page-reader';
import { WITHOUT_TITLE } from '../content/timed-reading.ts';
import { isPassed, labelOf } from '../content/verdict-sets.ts';
import { casesOf, type PageCase, type PageSet, pathOf, SETS, scorePage, urlOf } from '../extraction/page-sets.ts';
import { bytesOf, CORPORA, listIn, numberIn, readCases, textIn } from '../shared/corpora.ts';
import type { Reader } from './load-reader.ts';

/** Scores by the name of the figure, each from 0 to 1. More is better; absent: the page has no label for it. */
export type Scores = Readonly<Record<string, number>>;

export interface ScoredPage {
  readonly scores: Scores;
  /** Hash of all that was read of the page, to see whether anything differs. */
  readonly reading: string;
}

/** One page of the sample: reads it and scores the result. */
export type ScorePage = (reader: Reader) => ScoredPage;

const scored = (scores: Scores, ...read: readonly unknown[]): ScoredPage => ({
  scores,
  reading: createHash('sha256').update(JSON.stringify(read)).digest('base64'),
});

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

/** The F1 of the text of labelled pages. */
function scoreTexts(step: number): ScorePage[] {
  return pagesOf(['articles', 'wcxb', 'segments', 'multilingual'], step).map(({ set, page, bytes }) => {
    const content = { ...USUAL_CONTENT, omitTitleHeading: WITHOUT_TITLE.has(page.folder) };
    return ({ decodeBody, readPage }) => {
      const { html } = decodeBody(bytes, undefined);
      const reading = readPage({ html, url: urlOf(page), content, outputs: new Set(['text']) });
      return scored({ text: scorePage(set, page, { text: reading.text ?? '', markdown: '' }).f1 }, reading);
    };
  });
}

/** The blocks of pages. They have no labels: what a difference costs is measured on pairs of pages (`eval -- changes`). */
function cutPages(step: number): ScorePage[] {
  return pagesOf(['wcxb', 'segments'], step).map(({ page, bytes }) => ({ decodeBody, readPage }) => {
    const { html } = decodeBody(bytes, undefined);
    const { blocks } = readPage({
      html,
      url: urlOf(page),
      content: USUAL_CONTENT,
      outputs: new Set(),
      cut: { volatileSelectors: [] },
    });
    return scored({}, blocks);
  });
}

/** Right titles, dates and authors. */
function scoreFields(step: number): ScorePage[] {
  return pagesOf(['wcxb'], step).map(({ set, page, bytes }) => ({ decodeBody, readPage }) => {
    const { html } = decodeBody(bytes, undefined);
    const reading = readPage({ html, url: urlOf(page), content: USUAL_CONTENT, outputs: new Set() });
    const { head } = reading;
    const { title, date, author } = scorePage(set, page, {
      text: '',
      markdown: '',
      title: head.headline ?? '',
      date: head.publishedAt ?? '',
      author: head.author ?? '',
    });
    const scores = {
      ...(title === undefined ? {} : { title: Number(title) }),
      ...(date === undefined ? {} : { date: Number(date) }),
      ...(author === undefined ? {} : { author: Number(author) }),
    };
    return scored(scores, reading);
  });
}

/** The F1 of the structure of markdown. */
function scoreMarkdown(): ScorePage[] {
  return pagesOf(['defuddle'], 1).map(({ set, page, bytes }) => {
    const content = { ...USUAL_CONTENT, omitTitleHeading: WITHOUT_TITLE.has(page.folder) };
    return ({ decodeBody, readPage }) => {
      const { html } = decodeBody(bytes, undefined);
      const outputs = new Set(['text', 'markdown'] as const);
      const reading = readPage({ html, url: urlOf(page), content, outputs });
      const { text = '', markdown = '' } = reading;
      return scored({ structure: scorePage(set, page, { text, markdown }).structureF1 ?? 0 }, reading);
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
      const scores = {
        price: Number(isLabelled(truth.price?.map(decimal), product?.price?.toString())),
        stock: Number(isLabelled(truth.availability, stockOf(product?.inStock))),
        sku: Number(isLabelled(truth.sku, product?.sku)),
        brand: Number(isLabelled(truth.brand, product?.brand)),
      };
      return scored(scores, product);
    };
  });
}

/** Reads and classifies a page. Evidence has shapes and doubts, which no label states, so that it is compared too. */
function scoreVerdict(
  { classify, decodeBody, readPage }: Reader,
  page: { readonly bytes: Uint8Array; readonly url: string; readonly httpStatus: number },
  score: (label: string) => Scores,
): ScoredPage {
  const { bytes, url, httpStatus } = page;
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
  const classification = classify(input);
  return scored(score(labelOf(classification)), classification, evidence);
}

/** Right verdicts on the labelled pages, and accepted pages among real ones. */
function scoreVerdicts(step: number): ScorePage[] {
  const labelled = readCases('verdicts/index.json').map((entry): ScorePage => {
    const url = textIn(entry, 'url') || 'https://example.com/page';
    const page = { bytes: bytesOf('verdicts', entry), url, httpStatus: numberIn(entry, 'httpStatus') };
    const accept = listIn(entry, 'accept');
    return (reader) => scoreVerdict(reader, page, (label) => ({ verdicts: Number(accept.includes(label)) }));
  });
  const real = pagesOf(['articles', 'wcxb', 'segments', 'multilingual'], step * 2).map(({ page, bytes }): ScorePage => {
    const read = { bytes, url: urlOf(page), httpStatus: 200 };
    return (reader) => scoreVerdict(reader, read, (label) => ({ 'real pages': Number(isPassed(label)) }));
  });
  return [...labelled, ...real];
}

/** The pages that a stage is measured on, one of `step`, by the folder of the stage. Other stages have no labelled pages. */
export const STAGES: Readonly<Record<string, (step: number) => ScorePage[]>> = {
  page: scoreTexts,
  tree: (step) => [...scoreTexts(step), ...cutPages(step)],
  head: scoreFields,
  filters: scoreTexts,
  landmarks: (step) => [...scoreTexts(step), ...cutPages(step)],
  main: scoreTexts,
  markdown: scoreMarkdown,
  product: scoreProducts,
  blocks: cutPages,
  evidence: scoreVerdicts,
  verdict: scoreVerdicts,
};
