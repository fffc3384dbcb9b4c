/**
 * Scores the content pipeline on the labelled page sets and prints its CPU time.
 *
 *   node --conditions=tidemark-source test/bench/content.ts [set ...]
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { decodeBody, type PageReading, type ReadWant, readPage } from '../../services/scrape/src/content/read-page.ts';
import { judge } from '../../services/scrape/src/domain/verdict.ts';
import { bytesOf, type Case, CORPORA, hasCorpora, listIn, numberIn, readCases, textIn } from './content-corpora.ts';
import {
  bagScore,
  characterTokens,
  f1Of,
  mean,
  percentile,
  proseOf,
  shingleScore,
  structureOf,
  tokensOf,
} from './content-scores.ts';

const ALL: ReadonlySet<ReadWant> = new Set(['markdown', 'text', 'cleanHtml', 'links']);
const [, , ...asked] = process.argv;
const worst: string[] = [];
const showsWorst = process.env['WORST'] !== undefined;

interface Timed {
  reading: PageReading;
  milliseconds: number;
}

function read(folder: string, entry: Case): Timed {
  const bytes = bytesOf(folder, entry);
  const url = textIn(entry, 'url') || 'https://example.com/page';
  const before = process.cpuUsage();
  const { html } = decodeBody(bytes, undefined);
  const reading = readPage({ html, url, onlyMainContent: true, wants: ALL });
  const { user, system } = process.cpuUsage(before);
  return { reading, milliseconds: (user + system) / 1_000 };
}

const show = (value: number): string => value.toFixed(3);
const line = (name: string, text: string): void => console.log(`${name.padEnd(24)} ${text}`);
const note = (set: string, entry: Case, score: number, more = ''): void => {
  worst.push(`${show(score)} ${set} ${textIn(entry, 'id')} ${textIn(entry, 'type')} ${more} ${textIn(entry, 'url')}`);
};

function articles(): void {
  const folder = 'pages/article-benchmark';
  const entries = readCases(`${folder}/index.json`);
  const timed = entries.map((entry) => ({ entry, ...read(folder, entry) }));
  const scores = timed.map(({ entry, reading }) => {
    const score = shingleScore(reading.text ?? '', textIn(entry, 'articleBody'));
    note('article', entry, score.f1, `P ${show(score.precision)} R ${show(score.recall)}`);
    return score;
  });
  const prose = timed.map(({ entry, reading }) =>
    shingleScore(proseOf(reading.markdown ?? ''), textIn(entry, 'articleBody')),
  );
  const [precision, recall] = [mean(scores.map((s) => s.precision)), mean(scores.map((s) => s.recall))];
  line(
    'article benchmark',
    `F1 ${show(f1Of(precision, recall))}  P ${show(precision)}  R ${show(recall)}  p10 ${show(
      percentile(
        scores.map((s) => s.f1),
        0.1,
      ),
    )}`,
  );
  line('  as markdown', `F1 ${show(f1Of(mean(prose.map((s) => s.precision)), mean(prose.map((s) => s.recall))))}`);
  const times = timed.map((t) => t.milliseconds);
  line(
    '  CPU ms',
    `median ${percentile(times, 0.5).toFixed(1)}  p95 ${percentile(times, 0.95).toFixed(1)}  worst ${Math.max(...times).toFixed(1)}`,
  );
}

function pageTypes(): void {
  const folder = 'pages/wcxb';
  const byType = new Map<string, number[]>();
  const all: number[] = [];
  let [kept, keepable, leaked, leakable, titles, titled, dates, dated, authors, authored] = Array.from(
    { length: 10 },
    () => 0,
  ) as number[];
  for (const entry of readCases(`${folder}/index.json`)) {
    const { reading } = read(folder, entry);
    const text = reading.text ?? '';
    const score = bagScore(tokensOf(text.toLowerCase()), tokensOf(textIn(entry, 'main_content').toLowerCase()));
    all.push(score.f1);
    byType.set(textIn(entry, 'type'), [...(byType.get(textIn(entry, 'type')) ?? []), score.f1]);
    note('wcxb', entry, score.f1, `P ${show(score.precision)} R ${show(score.recall)}`);
    const flat = flatten(text);
    for (const snippet of listIn(entry, 'with'))
      [keepable, kept] = [(keepable ?? 0) + 1, (kept ?? 0) + Number(flat.includes(flatten(snippet)))];
    for (const snippet of listIn(entry, 'without'))
      [leakable, leaked] = [(leakable ?? 0) + 1, (leaked ?? 0) + Number(flat.includes(flatten(snippet)))];
    if (textIn(entry, 'title'))
      [titled, titles] = [
        (titled ?? 0) + 1,
        (titles ?? 0) + Number(fold(reading.title ?? '') === fold(textIn(entry, 'title'))),
      ];
    const date = textIn(entry, 'publish_date').slice(0, 10);
    if (date)
      [dated, dates] = [(dated ?? 0) + 1, (dates ?? 0) + Number(reading.head.publishedAt?.slice(0, 10) === date)];
    const author = fold(textIn(entry, 'author'));
    const named = fold(reading.head.author ?? '');
    if (author)
      [authored, authors] = [
        (authored ?? 0) + 1,
        (authors ?? 0) + Number(named !== '' && (named.includes(author) || author.includes(named))),
      ];
  }
  line(
    'page types',
    `F1 ${show(mean(all))}  p10 ${show(percentile(all, 0.1))}  kept ${show((kept ?? 0) / (keepable || 1))}  leaked ${show((leaked ?? 0) / (leakable || 1))}`,
  );
  line('  by type', [...byType].map(([type, scores]) => `${type} ${show(mean(scores))}`).join('  '));
  line(
    '  fields',
    `title ${show((titles ?? 0) / (titled || 1))}  date ${show((dates ?? 0) / (dated || 1))}  author ${show((authors ?? 0) / (authored || 1))}`,
  );
}

const flatten = (text: string): string => text.replace(/\s+/g, ' ').trim();
const fold = (text: string): string => tokensOf(text.toLowerCase()).join(' ');

function segments(): void {
  const folder = 'pages/trafilatura-segments';
  let [hit, miss, leak] = [0, 0, 0];
  for (const entry of readCases(`${folder}/index.json`)) {
    const text = flatten(read(folder, entry).reading.text ?? '');
    const wanted = listIn(entry, 'with').map((part) => text.includes(flatten(part)));
    const unwanted = listIn(entry, 'without').filter((part) => text.includes(flatten(part))).length;
    hit += wanted.filter(Boolean).length;
    miss += wanted.filter((found) => !found).length;
    leak += unwanted;
    note(
      'segments',
      entry,
      mean(wanted.map(Number)) - unwanted / 4,
      `missed ${wanted.filter((f) => !f).length} leaked ${unwanted}`,
    );
  }
  line(
    'segments',
    `F1 ${show(f1Of(hit / (hit + leak || 1), hit / (hit + miss || 1)))}  P ${show(hit / (hit + leak || 1))}  R ${show(hit / (hit + miss || 1))}`,
  );
}

function multilingual(): void {
  const folder = 'pages/magic-html-multilingual';
  const byType = new Map<string, number[]>();
  for (const entry of readCases(`${folder}/index.json`)) {
    const score = bagScore(
      characterTokens(read(folder, entry).reading.text ?? ''),
      characterTokens(textIn(entry, 'content')),
    );
    byType.set(textIn(entry, 'type'), [...(byType.get(textIn(entry, 'type')) ?? []), score.f1]);
    note('multilingual', entry, score.f1, `P ${show(score.precision)} R ${show(score.recall)}`);
  }
  const groups = [...byType].map(([type, scores]) => `${type} ${show(mean(scores))}`).join('  ');
  line('multilingual', `F1 ${show(mean([...byType.values()].flat()))}  ${groups}`);
}

function markdownCases(): void {
  const failed: string[] = [];
  const entries = readCases('markdown/cases.json');
  for (const entry of entries) {
    const prose =
      'This is a paragraph of plain prose that stands around the case, long enough to be read as the content of the page.';
    const html = `<html><body><main><article><p>${prose}</p>${textIn(entry, 'html')}<p>${prose}</p></article></main></body></html>`;
    const url = `https://example.com${textIn(entry, 'base') || '/docs/page.html'}`;
    const markdown = readPage({ html, url, onlyMainContent: true, wants: ALL }).markdown ?? '';
    const right =
      listIn(entry, 'expected_contains').every((part) => markdown.includes(part)) &&
      listIn(entry, 'expected_match').every((pattern) => new RegExp(pattern, 'm').test(markdown)) &&
      !listIn(entry, 'expected_not').some((part) => markdown.includes(part));
    if (!right) failed.push(textIn(entry, 'name'));
  }
  line('markdown cases', `${entries.length - failed.length} of ${entries.length}  failed: ${failed.join(' ')}`);
}

function defuddle(): void {
  const folder = 'pages/defuddle-markdown';
  const texts: number[] = [];
  const structures: number[] = [];
  for (const entry of readCases(`${folder}/index.json`)) {
    const markdown = read(folder, entry).reading.markdown ?? '';
    const text = bagScore(
      tokensOf(proseOf(markdown).toLowerCase()),
      tokensOf(proseOf(textIn(entry, 'markdown')).toLowerCase()),
    ).f1;
    const structure = bagScore(structureOf(markdown), structureOf(textIn(entry, 'markdown'))).f1;
    texts.push(text);
    structures.push(structure);
    note('defuddle', entry, text, `structure ${show(structure)}`);
  }
  line('defuddle markdown', `text ${show(mean(texts))}  structure ${show(mean(structures))}`);
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

function verdicts(): void {
  const matrix = new Map<string, Map<string, number>>();
  const entries = readCases('verdicts/index.json');
  let [accepted, refused, real, passed, bad] = [0, 0, 0, 0, 0];
  for (const entry of entries) {
    const { reading } = read('verdicts', entry);
    const url = textIn(entry, 'url') || 'https://example.com/page';
    const judged = judge({
      httpStatus: numberIn(entry, 'httpStatus'),
      headers: {},
      evidence: reading.evidence,
      askedUrl: url,
      landedUrl: url,
      rendered: false,
      minWords: 0,
    });
    const found = LABELS[judged.errorCode] ?? (judged.verdict === 'thin' ? 'thin' : 'ok');
    const label = textIn(entry, 'label');
    const row = matrix.get(label) ?? new Map<string, number>();
    matrix.set(label, row.set(found, (row.get(found) ?? 0) + 1));
    const right = listIn(entry, 'accept').includes(found);
    const isReal = label === 'ok' || label === 'thin';
    const passes = found === 'ok' || found === 'thin';
    accepted += Number(right);
    real += Number(isReal);
    bad += Number(!isReal);
    refused += Number(isReal && !passes);
    passed += Number(!isReal && passes);
    if (!right) worst.push(`verdict ${textIn(entry, 'id')} is ${label}, judged ${found} (${judged.reason})`);
  }
  line(
    'verdicts',
    `accepted ${show(accepted / entries.length)}  real refused ${refused} of ${real}  bad passed ${show(passed / (bad || 1))}`,
  );
  for (const [label, row] of matrix)
    line(`  ${label}`, [...row].map(([found, count]) => `${found} ${count}`).join('  '));
}

function large(): void {
  for (const name of ['big', 'big_list', 'table']) {
    const html = gunzipSync(readFileSync(join(CORPORA, `pages/large/${name}.html.gz`))).toString();
    const before = process.cpuUsage();
    readPage({ html, url: 'https://example.com/', onlyMainContent: true, wants: ALL });
    const { user, system } = process.cpuUsage(before);
    line(`large ${name}`, `${(html.length / 1_000).toFixed(0)} KB  CPU ${((user + system) / 1_000).toFixed(0)} ms`);
  }
}

const SETS: Readonly<Record<string, () => void>> = {
  articles,
  pageTypes,
  segments,
  multilingual,
  markdownCases,
  defuddle,
  verdicts,
  large,
};

if (!hasCorpora()) {
  console.log(`no labelled pages at ${CORPORA}: nothing scored`);
} else {
  for (const [name, score] of Object.entries(SETS)) if (asked.length === 0 || asked.includes(name)) score();
  if (showsWorst)
    console.log(
      worst
        .sort()
        .slice(0, Number(process.env['WORST']) || 40)
        .join('\n'),
    );
}
