import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Flag, measurePage, parsePage, toText } from '@tidemark/page-reader/stages';
import {
  bagScore,
  characterTokens,
  f1Of,
  proseOf,
  type Ratio,
  shingleScore,
  structureOf,
  tokensOf,
} from '../content/scores.ts';
import { type Case, CORPORA, listIn, numberIn, readCases, textIn } from '../shared/corpora.ts';
import type { ToolResult } from './tools.ts';

/** One page of a set as one tool read it. */
export interface PageScore extends Ratio {
  /** Kind of page, in sets that have kinds. */
  readonly group: string;
  readonly id: string;
  /** 0 to 4, by the page's registered domain. */
  readonly fold: number;
  /** False for pages of the folders that were added later and are kept for validation. */
  readonly isFirst: boolean;
  /** F1 of the markdown's prose, to compare it with that of the text. */
  readonly markdownF1: number;
  readonly structureF1?: number;
  readonly hits?: number;
  readonly misses?: number;
  readonly leaks?: number;
  readonly title?: boolean;
  readonly date?: boolean;
  readonly author?: boolean;
  readonly isDoubted?: boolean;
}

/** A labelled page and the folder its file is in. */
export interface PageCase {
  readonly folder: string;
  readonly isFirst: boolean;
  readonly entry: Case;
}

export interface PageSet {
  readonly name: string;
  readonly folder: string;
  /** Folder with pages of the same kind that were added later. */
  readonly more?: string;
  /** How the set's figure is aggregated: mean of F1, F1 of the means, or F1 of the sums. */
  readonly total: 'mean' | 'ratio' | 'sums' | 'structure';
  readonly score: (entry: Case, text: string) => Ratio;
}

const flatten = (text: string): string => text.replace(/\s+/g, ' ').trim();
const fold = (text: string): string => tokensOf(text.toLowerCase()).join(' ');
const wordsOf = (text: string): string[] => tokensOf(text.toLowerCase());

function expectedText(folder: string, entry: Case): string {
  const page = parsePage(gunzipSync(readFileSync(join(CORPORA, folder, textIn(entry, 'expected')))).toString());
  measurePage(page);
  return toText([page.body], Flag.notRendered);
}

function segmentScore(entry: Case, text: string): Ratio {
  const { hits, misses, leaks } = segmentsIn(entry, text);
  const [precision, recall] = [hits / (hits + leaks || 1), hits / (hits + misses || 1)];
  return { precision, recall, f1: f1Of(precision, recall) };
}

function segmentsIn(entry: Case, text: string): { hits: number; misses: number; leaks: number } {
  const flat = flatten(text);
  const count = (key: string): number => listIn(entry, key).filter((part) => flat.includes(flatten(part))).length;
  const hits = count('with');
  return { hits, misses: listIn(entry, 'with').length - hits, leaks: count('without') };
}

const READABILITY = 'pages/readability';

/** Sets by the names the command takes. */
export const SETS: readonly PageSet[] = [
  {
    name: 'articles',
    folder: 'pages/article-benchmark',
    more: 'pages/articles-more',
    total: 'ratio',
    score: (entry, text) => shingleScore(text, textIn(entry, 'articleBody')),
  },
  {
    name: 'wcxb',
    folder: 'pages/wcxb',
    more: 'pages/wcxb-more',
    total: 'mean',
    score: (entry, text) => bagScore(wordsOf(text), wordsOf(textIn(entry, 'main_content'))),
  },
  {
    name: 'segments',
    folder: 'pages/trafilatura-segments',
    more: 'pages/segments-more',
    total: 'sums',
    score: segmentScore,
  },
  {
    name: 'multilingual',
    folder: 'pages/magic-html-multilingual',
    more: 'pages/multilingual-more',
    total: 'mean',
    score: (entry, text) => bagScore(characterTokens(text), characterTokens(textIn(entry, 'content'))),
  },
  {
    name: 'readability',
    folder: READABILITY,
    total: 'mean',
    score: (entry, text) => shingleScore(text, expectedText(READABILITY, entry)),
  },
  {
    name: 'defuddle',
    folder: 'pages/defuddle-markdown',
    total: 'structure',
    score: (entry, text) => bagScore(wordsOf(text), wordsOf(proseOf(textIn(entry, 'markdown')))),
  },
];

export function casesOf({ folder, more }: PageSet): PageCase[] {
  const casesIn = (path: string, isFirst: boolean): PageCase[] =>
    readCases(`${path}/index.json`).map((entry) => ({ folder: path, isFirst, entry }));
  return [...casesIn(folder, true), ...(more === undefined ? [] : casesIn(more, false))];
}

export const pathOf = ({ folder, entry }: PageCase): string => join(CORPORA, folder, textIn(entry, 'file'));

/** The page's own URL, or that of a server on this machine, whose path says nothing about the page. */
export const urlOf = ({ entry }: PageCase, isLoopback = false): string =>
  isLoopback ? `http://127.0.0.1:8080/${textIn(entry, 'id')}` : textIn(entry, 'url') || 'https://example.com/page';

/** Scores one result; a missing result scores as an empty one. */
export function scorePage(set: PageSet, { entry, isFirst }: PageCase, response: ToolResult | undefined): PageScore {
  const { text = '', markdown = '' } = response ?? {};
  const isStructure = set.total === 'structure';
  const prose = proseOf(markdown);
  const ofMarkdown = set.score(entry, prose);
  const ratio = isStructure ? ofMarkdown : set.score(entry, text);
  return {
    ...ratio,
    group: textIn(entry, 'type'),
    id: textIn(entry, 'id'),
    fold: numberIn(entry, 'fold'),
    isFirst,
    markdownF1: ofMarkdown.f1,
    ...(isStructure ? { structureF1: bagScore(structureOf(markdown), structureOf(textIn(entry, 'markdown'))).f1 } : {}),
    ...(listIn(entry, 'with').length > 0 ? segmentsIn(entry, text) : {}),
    ...fieldsOf(entry, response),
    ...(response?.isDoubted ? { isDoubted: true } : {}),
  };
}

/** Compares title, date and author with the set's values, where it has them. */
function fieldsOf(
  entry: Case,
  response: ToolResult | undefined,
): { title?: boolean; date?: boolean; author?: boolean } {
  const title = fold(textIn(entry, 'title'));
  const date = textIn(entry, 'publish_date').slice(0, 10);
  const author = fold(textIn(entry, 'author'));
  const named = fold(response?.author ?? '');
  return {
    ...(title ? { title: fold(response?.title ?? '') === title } : {}),
    ...(date ? { date: (response?.date ?? '').slice(0, 10) === date } : {}),
    ...(author ? { author: named !== '' && (named.includes(author) || author.includes(named)) } : {}),
  };
}
