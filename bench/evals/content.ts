/**
 * Scores the content pipeline on the labelled page sets and prints its CPU time.
 *
 *   npm run eval -- content [set ...]      WORST=40 lists the worst pages
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { readPage, USUAL_CONTENT } from '@tidemark/page-reader';
import { articles, multilingual, pageTypes, segments } from '../content/extraction-sets.ts';
import { defuddle, markdownCases } from '../content/markdown-sets.ts';
import { ALL, line, worst } from '../content/timed-reading.ts';
import { realPages, verdicts } from '../content/verdict-sets.ts';
import { CORPORA, hasCorpora } from '../shared/corpora.ts';
import { notMeasured } from '../shared/not-measured.ts';

function large(): void {
  for (const name of ['big', 'big_list', 'table']) {
    const html = gunzipSync(readFileSync(join(CORPORA, `pages/large/${name}.html.gz`))).toString();
    const before = process.cpuUsage();
    readPage({ html, url: 'https://example.com/', content: USUAL_CONTENT, outputs: ALL });
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
  realPages,
  large,
};
const [, , ...names] = process.argv;
const worstShown = Number(process.env['WORST'] ?? 0);

if (!hasCorpora()) {
  notMeasured('content', `there are no labelled pages at ${CORPORA}`);
} else {
  for (const [name, score] of Object.entries(SETS)) if (names.length === 0 || names.includes(name)) score();
  if (worstShown > 0) console.log(worst.sort().slice(0, worstShown).join('\n'));
}
