/** Scoring rules of the labelled page sets, as ../shared/corpora/README-capture.md states them. */

export interface Ratio {
  precision: number;
  recall: number;
  f1: number;
}

const WORDS = /[\p{L}\p{N}_]+/gu;
const UNSPACED = /[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]|[^\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]+/gu;

export const tokensOf = (text: string): string[] => text.match(WORDS) ?? [];

/** Each Han, Kana or Thai character is its own token. */
export const characterTokens = (text: string): string[] =>
  tokensOf(text.toLowerCase()).flatMap((token) => token.match(UNSPACED) ?? []);

/** Multiset overlap of two token lists. */
export function bagScore(found: readonly string[], expected: readonly string[]): Ratio {
  const counts = new Map<string, number>();
  for (const token of expected) counts.set(token, (counts.get(token) ?? 0) + 1);
  let hits = 0;
  for (const token of found) {
    const left = counts.get(token) ?? 0;
    if (left === 0) continue;
    hits++;
    counts.set(token, left - 1);
  }
  const precision = found.length === 0 ? (expected.length === 0 ? 1 : 0) : hits / found.length;
  const recall = expected.length === 0 ? 1 : hits / expected.length;
  return { precision, recall, f1: f1Of(precision, recall) };
}

export const f1Of = (precision: number, recall: number): number =>
  precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall);

/** Overlap of four-word shingles with equal weight per page, as in the article benchmark. */
export function shingleScore(found: string, expected: string): Ratio {
  return bagScore(shingles(found), shingles(expected));
}

function shingles(text: string): string[] {
  const tokens = tokensOf(text);
  const length = Math.min(4, tokens.length);
  if (length === 0) return [];
  return Array.from({ length: tokens.length - length + 1 }, (_, at) => tokens.slice(at, at + length).join(' '));
}

export const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** Strips markdown to prose: no link targets, pictures, emphasis or fences. Works by line, in linear time. */
export function proseOf(markdown: string): string {
  return markdown
    .split('\n')
    .map((line) =>
      line
        .replace(/^\s*(?:`{3,}|~{3,}).*$/, '')
        .replace(/!\[[^\]]*\]\([^)\s]*\)/g, '')
        .replace(/\]\([^)\s]*\)/g, ']')
        .replace(/<\/?(?:sup|sub)>/g, '')
        .replace(/\\(?=[\\`*_[\]<>#~|+\-.)&])/g, '')
        .replace(/\*\*|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '')
        .replace(/^\s*\|?(?:\s*:?-{3,}:?\s*\|)+.*$/, ''),
    )
    .join('\n');
}

/** The structure of a markdown text, one label an occurrence. */
export function structureOf(markdown: string): string[] {
  const labels: string[] = [];
  let fenced = '';
  for (const line of markdown.split('\n')) {
    const fence = /^\s*(?:>\s*)*(`{3,}|~{3,})\s*([\w+#.-]*)/.exec(line);
    if (fence?.[1] && (fenced === '' || line.includes(fenced))) {
      if (fenced === '') labels.push(`fence ${fence[2] ?? ''}`);
      fenced = fenced === '' ? fence[1] : '';
      continue;
    }
    if (fenced === '') labelLine(line, labels);
  }
  return labels;
}

function labelLine(line: string, labels: string[]): void {
  const heading = /^\s*(#{1,6})\s+(.*)$/.exec(line);
  if (heading)
    labels.push(
      `h${heading[1]?.length} ${tokensOf(heading[2] ?? '')
        .join(' ')
        .toLowerCase()}`,
    );
  if (/^\s*(?:>\s*)*(?:[-*+]|\d+[.)])\s+\S/.test(line)) labels.push('item');
  if (/^\s*\|.*\|\s*$/.test(line)) labels.push('row');
  for (const [, url] of line.matchAll(/!\[[^\]]*\]\(<?([^)\s>]*)/g)) labels.push(`image ${withoutOrigin(url)}`);
  for (const [, url] of line.matchAll(/(?<!!)\[[^\]]*\]\(<?([^)\s>]*)/g)) labels.push(`link ${withoutOrigin(url)}`);
  for (const [note] of line.matchAll(/\[\^[\w-]+\]/g)) labels.push(`note ${note}`);
  for (const _ of line.matchAll(/\$\$?[^$]+\$\$?/g)) labels.push('math');
}

/** Removes the origin: a page that is served from another URL has other origins in its relative links. */
const withoutOrigin = (url = ''): string => url.replace(/^(?:[a-z][a-z\d+.-]*:)?\/\/[^/?#]*/i, '').replace(/^$/, '/');
