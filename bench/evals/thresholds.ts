/**
 * Measures each threshold of the page reader with half and double its value: how the figures of its stage change on a
 * sample of the labelled pages. Production code has no switch for it: the evaluation loads a second instance of the
 * reader's modules, in which the constants of the tables are variables.
 *
 *   npm run eval -- thresholds [stage ...] [--sample 8] [--part 1/2] [--write]
 */
import { parseArgs } from 'node:util';
import { mean } from '../content/scores.ts';
import { CORPORA, hasCorpora } from '../shared/corpora.ts';
import { notMeasured } from '../shared/not-measured.ts';
import { printTable } from '../shared/table.ts';
import { loadAdjustable, loadRecorded } from '../thresholds/load-reader.ts';
import { type ScoredPage, type ScorePage, STAGES } from '../thresholds/stage-figures.ts';
import { otherValues, type Threshold, thresholdsOf, writeEffects } from '../thresholds/threshold-file.ts';

const NO_DIFFERENCE = 'none';

/** Returns the means of the pages that have a figure. */
function figuresOf(pages: readonly ScoredPage[]): Map<string, number> {
  const names = new Set(pages.flatMap(({ scores }) => Object.keys(scores)));
  return new Map(
    [...names].map((name) => [
      name,
      mean(pages.map(({ scores }) => scores[name]).filter((value) => value !== undefined)),
    ]),
  );
}

/** Returns the largest difference of a figure, and the number of pages of which anything was read differently. */
function differenceOf(before: readonly ScoredPage[], after: readonly ScoredPage[]): string {
  const pages = after.filter(({ reading }, at) => reading !== before[at]?.reading).length;
  if (pages === 0) return NO_DIFFERENCE;
  const count = `${pages} ${pages === 1 ? 'page' : 'pages'}`;
  const figures = figuresOf(after);
  const differences = [...figuresOf(before)].map(([name, value]) => ({
    name,
    change: (figures.get(name) ?? 0) - value,
  }));
  const [most] = differences.toSorted((one, other) => Math.abs(other.change) - Math.abs(one.change));
  if (most === undefined) return count;
  return `${most.change < 0 ? '' : '+'}${most.change.toFixed(4)}${figures.size > 1 ? ` ${most.name}` : ''} (${count})`;
}

/** Returns the thresholds that the reader compares something with, page by page. */
async function usedBy(stage: string, pages: readonly ScorePage[]): Promise<ReadonlySet<string>[]> {
  const { reader, used } = await loadRecorded(stage);
  return pages.map((page) => {
    used.clear();
    page(reader);
    return new Set(used);
  });
}

/** Measures the thresholds of a stage. Only the pages on which a threshold is compared are read again. */
async function effectsOf(stage: string, thresholds: readonly Threshold[], pages: readonly ScorePage[]) {
  const { reader, adjust } = await loadAdjustable(stage);
  const before = pages.map((page) => page(reader));
  const used = await usedBy(stage, pages);
  const effectOf = ({ name, value }: Threshold): string => {
    const effects = otherValues(value).map((other) => {
      adjust(name, other);
      const after = before.map((page, at) => (used[at]?.has(name) ? (pages[at]?.(reader) ?? page) : page));
      return `${other} ${differenceOf(before, after)}`;
    });
    adjust(name, value);
    return effects.every((effect) => effect.endsWith(NO_DIFFERENCE))
      ? `none on ${pages.length} pages: kept as a bound.`
      : `${effects.join(', ')} of ${pages.length} pages.`;
  };
  return { figures: figuresOf(before), effects: new Map(thresholds.map((one) => [one.name, effectOf(one)])) };
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string', default: '8' },
    part: { type: 'string', default: '1/1' },
    write: { type: 'boolean' },
  },
});
const [part = 1, parts = 1] = values.part.split('/').map(Number);
const named = positionals.length > 0 ? positionals : Object.keys(STAGES);
const unknown = named.filter((stage) => !Object.hasOwn(STAGES, stage));

if (unknown.length > 0) {
  console.error(`no stage ${unknown.join(', ')}; there are ${Object.keys(STAGES).join(', ')}`);
  process.exitCode = 2;
} else if (!hasCorpora()) {
  notMeasured('thresholds', `there are no labelled pages at ${CORPORA}`);
} else {
  for (const stage of named) {
    const pages = STAGES[stage]?.(Number(values.sample)) ?? [];
    const thresholds = thresholdsOf(stage).filter((_, at) => at % parts === part - 1);
    const { figures, effects } = await effectsOf(stage, thresholds, pages);
    if (values.write) writeEffects(stage, effects);
    console.log(`\n${stage}: ${[...figures].map(([name, value]) => `${name} ${value.toFixed(4)}`).join(', ')}`);
    printTable(['threshold', 'other value and change of the figure'], [...effects]);
  }
}
