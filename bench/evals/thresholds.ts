/**
 * Measures each threshold of the page reader with half and double its value: how the figures of its stage change on a
 * sample of the labelled pages. Production code has no switch for it: the evaluation loads a second instance of the
 * reader's modules, in which the table of the stage has the other value.
 *
 *   npm run eval -- thresholds [stage ...] [--sample 8] [--part 1/2] [--write]
 */
import { parseArgs } from 'node:util';
import { CORPORA, hasCorpora } from '../shared/corpora.ts';
import { notMeasured } from '../shared/not-measured.ts';
import { printTable } from '../shared/table.ts';
import { type Change, loadVariant } from '../thresholds/load-variant.ts';
import { type Figures, type Measure, STAGES } from '../thresholds/stage-figures.ts';
import { otherValues, type Threshold, thresholdsOf, writeEffects } from '../thresholds/threshold-file.ts';

/** A smaller difference is that of a few words on the pages of the sample. */
const NOISE = 0.00005;

/** Returns the largest difference of a figure, as it is written to the table. */
function differenceOf(before: Figures, after: Figures): string {
  const differences = [...before].map(([name, value]) => ({ name, change: (after.get(name) ?? 0) - value }));
  const [most] = differences.toSorted((one, other) => Math.abs(other.change) - Math.abs(one.change));
  if (most === undefined || Math.abs(most.change) < NOISE) return 'none';
  return `${most.change < 0 ? '' : '+'}${most.change.toFixed(4)}${before.size > 1 ? ` ${most.name}` : ''}`;
}

async function effectOf(stage: string, { name, value }: Threshold, measure: Measure, before: Figures): Promise<string> {
  const effects: string[] = [];
  for (const other of otherValues(value)) {
    const change: Change = { stage, name, value: other };
    effects.push(`${other} ${differenceOf(before, measure(await loadVariant(change)))}`);
  }
  return effects.every((effect) => effect.endsWith(' none'))
    ? 'none on the corpora: kept as a bound.'
    : `${effects.join(', ')}.`;
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
  const unchanged = await import('@tidemark/page-reader');
  for (const stage of named) {
    const measure = STAGES[stage]?.(Number(values.sample));
    if (measure === undefined) continue;
    const before = measure(unchanged);
    const effects = new Map<string, string>();
    for (const threshold of thresholdsOf(stage).filter((_, at) => at % parts === part - 1)) {
      effects.set(threshold.name, await effectOf(stage, threshold, measure, before));
      if (values.write) writeEffects(stage, effects);
    }
    const figures = [...before].map(([name, value]) => `${name} ${value.toFixed(4)}`).join(', ');
    console.log(`\n${stage}: ${figures}`);
    printTable(['threshold', 'other value and change of the figure'], [...effects]);
  }
}
