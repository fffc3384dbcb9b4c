import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { Deadline } from '../../services/diff/src/comparison/deadline.ts';
import { IdMap, matchSequences } from '../../services/diff/src/comparison/sequence-diff.ts';
import { tokensOf } from '../../services/diff/src/comparison/tokens.ts';
import type { BlockChange, PageDelta } from '../../services/diff/src/domain/page-delta.ts';
import { isContentChange, isMain } from '../../services/diff/src/volatility/block-traits.ts';
import { mean, percentile } from '../content/scores.ts';
import { type Case, readCases, textIn } from '../shared/corpora.ts';
import { printTable } from '../shared/table.ts';
import { atLeast, atMost, comparePair, type Goal, type PairResult, readingOf, unpacked } from './compare-readings.ts';
import { recordBetween } from './record.ts';

interface LabelledPair {
  readonly name: string;
  /** Identity of both snapshots: some pairs are listed more than once. */
  readonly snapshots: string;
  readonly isChange: boolean;
  readonly whole: PairResult;
  /** Result for the part the label refers to. */
  readonly selected: PairResult;
  /** The change record of the pair lists the page as modified. */
  readonly isRecorded: boolean;
  /** The words of the content are equal, in order. */
  readonly hasEqualWords: boolean;
  /** Changed words found, divided by those of a flat comparison of all words at once. */
  readonly wordRatio: number | undefined;
}

/** Evaluates pairs of Open Terms Archive: snapshots that became a new version, and snapshots that did not. */
export async function openTermsPairs(): Promise<Goal[]> {
  const pairs = [...(await pairsOf('ota-demo')), ...(await pairsOf('ota-dating'))];
  const [changes, noise] = [pairs.filter(({ isChange }) => isChange), pairs.filter(({ isChange }) => !isChange)];
  const views: [string, (pair: LabelledPair) => boolean][] = [
    ['content of the page', ({ whole }) => whole.isModified],
    ['content and head of the page', ({ whole }) => whole.isModifiedWithHead],
    ['any block or head fact', ({ whole }) => whole.delta.blocks.length + whole.delta.fields.length > 0],
    ['the selected part', ({ selected }) => selected.isModified],
    ['the change record', ({ isRecorded }) => isRecorded],
  ];
  const share = (some: readonly LabelledPair[], passes: (pair: LabelledPair) => boolean): number =>
    some.filter(passes).length / (some.length || 1);
  console.log(
    `Open Terms Archive: ${changes.length} changes, ${noise.length} pairs of noise; each by itself, with nothing learned`,
  );
  printTable(
    ['compared', 'changes found', 'noise flagged', 'precision'],
    views.map(([name, passes]) => {
      const [found, flagged] = [changes.filter(passes).length, noise.filter(passes).length];
      return [
        name,
        percent(share(changes, passes)),
        percent(share(noise, passes)),
        percent(found / (found + flagged || 1)),
      ];
    }),
  );
  const isModified = ({ whole }: LabelledPair): boolean => whole.isModified;
  const once = [...new Map(noise.map((pair) => [pair.snapshots, pair])).values()];
  const isRecorded = (pair: LabelledPair): boolean => pair.isRecorded;
  for (const pair of pairs.filter((one) => isRecorded(one) !== one.isChange))
    console.log(`  ${pair.isChange ? 'not found' : 'flagged'} by the record: ${pair.name}: ${reasonOf(pair)}`);
  const isOnlyRelinked = ({ whole: { delta } }: LabelledPair): boolean => contentOf(delta).every(isRelinked);
  return [
    atLeast('real changes found', share(changes, isModified), 0.98),
    atMost('noise reported as changed', share(noise, isModified), 0.02),
    atLeast('real changes the record calls modified', share(changes, isRecorded), 0.98),
    atMost(`noise the record calls modified, of ${noise.length} pairs as listed`, share(noise, isRecorded), 0.02),
    atMost(`noise the record calls modified, of ${once.length} pairs each counted once`, share(once, isRecorded), 0.02),
    atMost(
      'the same without pairs with another link target, an edit that the label leaves out',
      share(noise, (pair) => isRecorded(pair) && !isOnlyRelinked(pair)),
      0.005,
    ),
    atMost(
      'real changes missed in silence: other words, and no entry',
      changes.filter((pair) => !isRecorded(pair) && !pair.hasEqualWords).length,
      0,
    ),
    ...timesAndWords(pairs),
  ];
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

function timesAndWords(pairs: readonly LabelledPair[]): Goal[] {
  const times = pairs.map(({ whole }) => whole.milliseconds);
  const ratios = pairs.flatMap(({ wordRatio }) => wordRatio ?? []);
  const uptime = pairs
    .filter(({ name }) => name.startsWith('UptimeRobot/Terms'))
    .map(({ whole }) => whole.milliseconds);
  console.log(
    `one pair: median ${percentile(times, 0.5).toFixed(1)} ms, p95 ${percentile(times, 0.95).toFixed(1)} ms, most ${Math.max(...times).toFixed(0)} ms; ` +
      `changed words to those of a flat comparison: median ${percentile(ratios, 0.5).toFixed(2)}, p95 ${percentile(ratios, 0.95).toFixed(2)}, mean ${mean(ratios).toFixed(2)}`,
  );
  return [
    atMost('a pair, p50 ms', percentile(times, 0.5), 20),
    atMost('a pair, p95 ms', percentile(times, 0.95), 200),
    atMost('50 KB terms (UptimeRobot), slowest ms', Math.max(...uptime), 200),
    atMost('changed words to those of a flat comparison, median', percentile(ratios, 0.5), 1.05),
  ];
}

const isRelinked = ({ op }: BlockChange): boolean => op === 'relinked';

const contentOf = ({ blocks }: PageDelta): readonly BlockChange[] => blocks.filter(isContentChange);

const QUOTED_CHARS = 60;
const quoted = ({ before, after }: BlockChange): string => `"${(after ?? before)?.text.slice(0, QUOTED_CHARS) ?? ''}"`;

/** States what of a pair differs. */
function reasonOf({ whole: { delta }, hasEqualWords }: LabelledPair): string {
  const content = contentOf(delta);
  const links = content.flatMap(({ links: some = [] }) => some);
  const outside = delta.blocks.length - content.length;
  return [
    ...(hasEqualWords ? ['each word of the content is equal, in the same order'] : []),
    ...content.slice(0, 3).map((change) => `${change.op} ${quoted(change)}`),
    ...links.slice(0, 3).map(({ from, to }) => `link from ${from ?? 'none'} to ${to ?? 'none'}`),
    ...(outside > 0 ? [`${outside} blocks outside the content`] : []),
    ...delta.fields.map(({ name }) => name),
  ].join('; ');
}

/** Returns the words of the content on one line, whatever its blocks are. */
const contentWordsOf = ({ blocks }: PageBlocks): string =>
  blocks
    .filter(isMain)
    .map(({ text }) => text)
    .join(' ');

const pairsOf = (set: string): Promise<LabelledPair[]> =>
  unpacked(`${set}/html.tar.xz`, async (folder) => {
    const cases = readCases(`changes/${set}/pairs.json`);
    const pairs: LabelledPair[] = [];
    // Warm-up: the first pairs would include compilation.
    for (const entry of cases.slice(0, 40)) await labelled(folder, entry);
    for (const entry of cases) pairs.push(await labelled(folder, entry));
    return pairs;
  });

async function labelled(folder: string, entry: Case): Promise<LabelledPair> {
  const html = (side: string): string => readFileSync(join(folder, textIn(entry, side)), 'utf8');
  const [a, b] = [html('a'), html('b')];
  const url = textIn(entry, 'url') || 'https://example.com/terms';
  const select = textIn(entry, 'select');
  const [before, after] = [readingOf({ html: a, url, select }), readingOf({ html: b, url, select })];
  const selected = comparePair(before, after);
  const flat = flatWords(
    before.blocks.map(({ text }) => text).join('\n'),
    after.blocks.map(({ text }) => text).join('\n'),
  );
  const [old, now] = [readingOf({ html: a, url }), readingOf({ html: b, url })];
  const { head } = await recordBetween(new Map([[url, old]]), new Map([[url, now]]));
  const changed = selected.delta.wordsAdded + selected.delta.wordsRemoved;
  return {
    name: `${textIn(entry, 'path')} ${textIn(entry, 'a_date')}`,
    snapshots: `${textIn(entry, 'path')} ${textIn(entry, 'a')} ${textIn(entry, 'b')}`,
    isChange: textIn(entry, 'kind') === 'change',
    whole: comparePair(old, now),
    selected,
    isRecorded: head.counts.modified > 0,
    hasEqualWords: contentWordsOf(old) === contentWordsOf(now),
    wordRatio: flat === undefined || flat === 0 || changed === 0 ? undefined : changed / flat,
  };
}

/** Returns the changed words of a flat comparison of two texts; undefined where it takes too long. */
function flatWords(before: string, after: string): number | undefined {
  const [old, now] = [tokensOf(before), tokensOf(after)].map((tokens) =>
    tokens.filter(({ isWord }) => isWord).map(({ text }) => text),
  );
  if (old === undefined || now === undefined) return undefined;
  const ids = new IdMap();
  try {
    const matches = matchSequences(ids.all(old), ids.all(now), new Deadline(5_000));
    const equal = matches.reduce((count, match) => count + (match === -1 ? 0 : 1), 0);
    return old.length + now.length - 2 * equal;
  } catch {
    return undefined;
  }
}
