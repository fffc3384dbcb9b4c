import { createHash } from 'node:crypto';
import type { Classification, ClassifyInput } from '@tidemark/page-reader';
import { classify, readPage, USUAL_CONTENT } from '@tidemark/page-reader';
import { protectionOf } from '@tidemark/page-reader/stages';
import { type Case, listIn, numberIn, readCases, textIn } from '../shared/corpora.ts';
import { line, read, show, worst } from './timed-reading.ts';

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

/** Page sets of real pages only: a refusal there is an error, or a page captured empty. */
const REAL = [
  'pages/article-benchmark',
  'pages/wcxb',
  'pages/trafilatura-segments',
  'pages/magic-html-multilingual',
  'pages/readability',
  'pages/articles-more',
  'pages/wcxb-more',
  'pages/segments-more',
  'pages/multilingual-more',
];

/** One labelled page and its verdict. */
export interface EvaluatedCase {
  readonly id: string;
  readonly url: string;
  /** 0 to 4: that of the set, otherwise by the host of the page or, without one, by the repository it is from. */
  readonly fold: number;
  readonly label: string;
  readonly accept: readonly string[];
  readonly found: string;
  readonly classification: Classification;
}

/** The label of a verdict, as the labelled pages have it. */
export const labelOf = ({ errorCode, verdict }: Classification): string =>
  LABELS[errorCode] ?? (verdict === 'thin' ? 'thin' : 'ok');

/** True for the labels of good pages. */
export const isPassed = (label: string): boolean => label === 'ok' || label === 'thin';

function foldOf(entry: Case): number {
  if (typeof entry['fold'] === 'number') return entry['fold'];
  const origin = URL.parse(textIn(entry, 'url'))?.host ?? textIn(partOf(entry, 'source'), 'repo');
  return (createHash('sha256').update(origin).digest()[0] ?? 0) % 5;
}

const isCase = (value: unknown): value is Case => typeof value === 'object' && value !== null;
const partOf = (entry: Case, key: string): Case => {
  const part = entry[key];
  return isCase(part) ? part : {};
};

function evaluateCase(folder: string, entry: Case, httpStatus: number): EvaluatedCase {
  const { reading } = read(folder, entry);
  const url = textIn(entry, 'url') || 'https://example.com/page';
  const { evidence } = reading;
  const classifyInput: ClassifyInput = {
    httpStatus,
    headers: {},
    evidence,
    requestedUrl: url,
    landedUrl: url,
    rendered: false,
    minWords: 0,
  };
  const classification = classify(classifyInput);
  const found = labelOf(classification);
  return {
    id: textIn(entry, 'id'),
    url,
    fold: foldOf(entry),
    label: textIn(entry, 'label'),
    accept: listIn(entry, 'accept'),
    found,
    classification,
  };
}

/** The labelled pages of the verdict set. */
export const evaluatedPages = (): EvaluatedCase[] =>
  readCases('verdicts/index.json').map((entry) => evaluateCase('verdicts', entry, numberIn(entry, 'httpStatus')));

/** Evaluates the pages of the extraction sets, all of them real. */
export const evaluatedRealPages = (): EvaluatedCase[] =>
  REAL.flatMap((folder) => readCases(`${folder}/index.json`).map((entry) => evaluateCase(folder, entry, 200)));

/** A snippet of headers, cookies or markup, and whether a bot wall was detected in it. */
export interface EvaluatedSnippet {
  readonly id: string;
  readonly expected: boolean;
  readonly seen: string | undefined;
  readonly input: string;
}

/** Evaluates snippets of bot walls. A snippet without a status counts as a refusal. */
export function evaluatedSnippets(): EvaluatedSnippet[] {
  return readCases('verdicts/antibot-snippets.json').map((entry) => {
    const input = partOf(entry, 'input');
    const headers = Object.fromEntries(
      Object.entries(partOf(input, 'headers')).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
    );
    const url = textIn(input, 'url') || 'https://example.com/page';
    const { evidence } = readPage({ html: textIn(input, 'html'), url, content: USUAL_CONTENT, outputs: new Set() });
    const httpStatus = numberIn(input, 'statusCode') || (Object.keys(headers).length > 0 ? 403 : 200);
    const classifyInput: ClassifyInput = {
      httpStatus,
      headers,
      evidence,
      requestedUrl: url,
      landedUrl: url,
      rendered: false,
      minWords: 0,
    };
    const classification = classify(classifyInput);
    const refused = classification.errorCode === 'CAPTCHA' || classification.errorCode === 'BLOCKED';
    const seen = refused ? (classification.widget ?? protectionOf(classifyInput)) : undefined;
    return {
      id: textIn(entry, 'id'),
      expected: partOf(entry, 'expect')['detected'] === true,
      seen: seen ?? (classification.errorCode === 'CAPTCHA' ? 'challenge' : undefined),
      input: JSON.stringify(input).slice(0, 160),
    };
  });
}

/** Prints the verdict set in a few lines, with the other content scores. */
export function verdicts(): void {
  const pages = evaluatedPages();
  const right = pages.filter(({ accept, found }) => accept.includes(found));
  const bad = pages.filter(({ label }) => !isPassed(label));
  const passed = bad.filter(({ found }) => isPassed(found));
  const real = pages.filter(({ label }) => isPassed(label));
  const refused = real.filter(({ found }) => !isPassed(found));
  line(
    'verdicts',
    `accepted ${show(right.length / pages.length)}  real refused ${refused.length} of ${real.length}  bad passed ${show(passed.length / (bad.length || 1))}`,
  );
  for (const { id, label, found, classification } of pages.filter((page) => !page.accept.includes(page.found)))
    worst.push(`verdict ${id} is ${label}, found ${found} (${classification.reason})`);
}

/** Prints how many pages of the extraction sets, all of them real, would be refused. */
export function realPages(): void {
  const pages = evaluatedRealPages();
  const refused = pages.filter(({ found }) => !isPassed(found));
  for (const { id, found, classification, url } of refused)
    worst.push(`real page ${id} found ${found} (${classification.reason}) ${url}`);
  line('real pages elsewhere', `refused ${refused.length} of ${pages.length}`);
}
