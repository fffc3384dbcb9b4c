import type { PageReading } from '@tidemark/page-reader';
import { type Case, listIn, readCases, textIn } from '../shared/corpora.ts';
import { bagScore, characterTokens, f1Of, mean, percentile, proseOf, shingleScore, tokensOf } from './scores.ts';
import { line, note, read, show } from './timed-reading.ts';

const flatten = (text: string): string => text.replace(/\s+/g, ' ').trim();
const fold = (text: string): string => tokensOf(text.toLowerCase()).join(' ');
const share = (part: readonly boolean[]): number => mean(part.map(Number));

export function articles(): void {
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

/** What the page-type set measures besides F1. */
interface Fields {
  kept: boolean[];
  leaked: boolean[];
  titles: boolean[];
  dates: boolean[];
  authors: boolean[];
}

export function pageTypes(): void {
  const folder = 'pages/wcxb';
  const byType = new Map<string, number[]>();
  const fields: Fields = { kept: [], leaked: [], titles: [], dates: [], authors: [] };
  for (const entry of readCases(`${folder}/index.json`)) {
    const { reading } = read(folder, entry);
    const score = bagScore(
      tokensOf((reading.text ?? '').toLowerCase()),
      tokensOf(textIn(entry, 'main_content').toLowerCase()),
    );
    byType.set(textIn(entry, 'type'), [...(byType.get(textIn(entry, 'type')) ?? []), score.f1]);
    note('wcxb', entry, score.f1, `P ${show(score.precision)} R ${show(score.recall)}`);
    countFields(entry, reading, fields);
  }
  const all = [...byType.values()].flat();
  line(
    'page types',
    `F1 ${show(mean(all))}  p10 ${show(percentile(all, 0.1))}  kept ${show(share(fields.kept))}  leaked ${show(share(fields.leaked))}`,
  );
  line('  by type', [...byType].map(([type, scores]) => `${type} ${show(mean(scores))}`).join('  '));
  line(
    '  fields',
    `title ${show(share(fields.titles))}  date ${show(share(fields.dates))}  author ${show(share(fields.authors))}`,
  );
}

function countFields(entry: Case, reading: PageReading, fields: Fields): void {
  const flat = flatten(reading.text ?? '');
  fields.kept.push(...listIn(entry, 'with').map((part) => flat.includes(flatten(part))));
  fields.leaked.push(...listIn(entry, 'without').map((part) => flat.includes(flatten(part))));
  const title = fold(textIn(entry, 'title'));
  if (title) fields.titles.push(fold(reading.head.headline ?? '') === title);
  const date = textIn(entry, 'publish_date').slice(0, 10);
  if (date) fields.dates.push(reading.head.publishedAt?.slice(0, 10) === date);
  const author = fold(textIn(entry, 'author'));
  const named = fold(reading.head.author ?? '');
  if (author) fields.authors.push(named !== '' && (named.includes(author) || author.includes(named)));
}

export function segments(): void {
  const folder = 'pages/trafilatura-segments';
  let [hit, miss, leak] = [0, 0, 0];
  for (const entry of readCases(`${folder}/index.json`)) {
    const text = flatten(read(folder, entry).reading.text ?? '');
    const expected = listIn(entry, 'with').map((part) => text.includes(flatten(part)));
    const unwanted = listIn(entry, 'without').filter((part) => text.includes(flatten(part))).length;
    hit += expected.filter(Boolean).length;
    miss += expected.filter((found) => !found).length;
    leak += unwanted;
    note(
      'segments',
      entry,
      mean(expected.map(Number)) - unwanted / 4,
      `missed ${expected.filter((f) => !f).length} leaked ${unwanted}`,
    );
  }
  line(
    'segments',
    `F1 ${show(f1Of(hit / (hit + leak || 1), hit / (hit + miss || 1)))}  P ${show(hit / (hit + leak || 1))}  R ${show(hit / (hit + miss || 1))}`,
  );
}

export function multilingual(): void {
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
