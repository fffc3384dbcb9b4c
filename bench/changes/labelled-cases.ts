import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { escapeTags } from '@tidemark/html';
import { Deadline } from '../../services/diff/src/comparison/deadline.ts';
import { tokensOf } from '../../services/diff/src/comparison/tokens.ts';
import { diffWords } from '../../services/diff/src/comparison/word-diff.ts';
import { bagScore, mean } from '../content/scores.ts';
import { type Case, textIn } from '../shared/corpora.ts';
import { atLeast, CHANGES, comparePair, type Goal, readingOf } from './compare-readings.ts';

const URL = 'https://example.com/page';

/** Ways to write lines of text as html. */
const FORMS: readonly [string, (text: string) => string][] = [
  [
    'paragraphs',
    (text) =>
      text
        .split('\n')
        .map((line) => `<p>${escapeTags(line)}</p>`)
        .join(''),
  ],
  ['lines of a paragraph', (text) => `<p>${escapeTags(text).replaceAll('\n', '<br>')}</p>`],
  ['plain text', (text) => `<pre>${escapeTags(text)}</pre>`],
];

/** Evaluates pairs that a comparison of sorted characters would call equal. */
export function adversarialPairs(): Goal[] {
  const parsed: unknown = JSON.parse(readFileSync(join(CHANGES, 'change-adversarial.json'), 'utf8'));
  const cases: Case[] =
    typeof parsed === 'object' && parsed !== null && 'cases' in parsed && Array.isArray(parsed.cases)
      ? parsed.cases
      : [];
  return FORMS.map(([name, write]) => {
    const found = cases.filter((entry) => {
      const [before, after] = ['before', 'after'].map((side) =>
        readingOf({ html: `<main>${write(textIn(entry, side))}</main>`, url: URL }),
      );
      return before !== undefined && after !== undefined && comparePair(before, after).isModified;
    });
    return atLeast(`adversarial pairs as ${name}, of ${cases.length}`, found.length, cases.length);
  });
}

const EDGI = ['footer', 'num-views', 'small-changes'].map((name) => `falsepos-${name}`);
const EDGI_TRUE = ['dataset-removal', 'image-removal', 'major-changes'].map((name) => `truepos-${name}`);

/** Evaluates agency pages labelled by analysts: relevant changes and irrelevant ones. */
export function analystPairs(): Goal[] {
  const read = (name: string, side: string) =>
    readingOf({ html: readFileSync(join(CHANGES, 'edgi-labelled', `${name}-${side}.html`), 'utf8'), url: URL });
  const isModified = (name: string): boolean => comparePair(read(name, 'a'), read(name, 'b')).isModified;
  return [
    atLeast('EDGI: changes that matter, kept', EDGI_TRUE.filter(isModified).length, 3),
    atLeast('EDGI: changes that do not, suppressed', EDGI.filter((name) => !isModified(name)).length, 3),
  ];
}

/** Compares the changed words found here with those that wikidiff2 marks in its own cases. */
export function wordBoundaries(): Goal[] {
  const parsed: unknown = JSON.parse(readFileSync(join(CHANGES, 'wikidiff2/cases.json'), 'utf8'));
  const cases: Case[] = Array.isArray(parsed) ? parsed : [];
  const scores = cases.flatMap((entry) => {
    const html = textIn(entry, 'expectedHtml');
    const expected = markedIn(html);
    // Moved lines are marked differently there; only words are compared.
    if (expected.length === 0 || html.includes('movedpara') || !html.includes('diffchange')) return [];
    const { words } = diffWords(textIn(entry, 'before'), textIn(entry, 'after'), new Deadline(5_000));
    const changed = words.filter(([op]) => op !== '=').flatMap(([, text]) => wordsIn(text));
    return [{ name: textIn(entry, 'name'), f1: bagScore(changed, expected).f1 }];
  });
  const low = scores.filter(({ f1 }) => f1 < 0.7).map(({ name, f1 }) => `${name} ${f1.toFixed(2)}`);
  console.log(
    `wikidiff2: ${scores.length} cases with edits inside lines${low.length > 0 ? `; least similar: ${low.join(', ')}` : ''}`,
  );
  return [
    atLeast(
      `wikidiff2: changed words as it marks them (${scores.length} comparable cases), mean F1`,
      mean(scores.map(({ f1 }) => f1)),
      0.8,
    ),
  ];
}

/** Returns the words of added and removed lines and of edits inside lines. */
function markedIn(html: string): string[] {
  const rows = html.split('<tr>');
  return rows.flatMap((row) => {
    const inline = [...row.matchAll(/<(?:ins|del) class="diffchange[^>]*>([\s\S]*?)<\/(?:ins|del)>/g)].map(
      ([, text]) => text ?? '',
    );
    const whole = [...row.matchAll(/<td class="diff-(?:added|deleted)line[^>]*><div>([\s\S]*?)<\/div>/g)].map(
      ([, text]) => text ?? '',
    );
    return (inline.length > 0 ? inline : whole).flatMap((text) => wordsIn(plain(text)));
  });
}

const plain = (html: string): string =>
  html
    .replace(/<[^>]+>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
const wordsIn = (text: string): string[] => tokensOf(text).flatMap(({ isWord, text: word }) => (isWord ? [word] : []));
