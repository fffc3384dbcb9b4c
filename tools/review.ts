// `npm run review -- sample --seed 1 --size 30`: production files to read, chosen at random. `npm run review -- counts --at <commit>`: constructs in a commit.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readSourceTree } from './lints/source-tree.ts';
import { countConstructs } from './review/counts.ts';
import { sampleOf } from './review/sample.ts';

const HELP = `usage: npm run review -- <command>

  sample [--seed 20261201] [--size 30]  prints production files of services, libs and packages, chosen by a shuffle with this seed
  counts [--at <commit>]...             prints the lines with each construct that a review counts, in these commits (default: HEAD)
`;

const root = resolve(import.meta.dirname, '..');
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '20261201' },
    size: { type: 'string', default: '30' },
    at: { type: 'string', multiple: true, default: ['HEAD'] },
    help: { type: 'boolean', default: false },
  },
});

const isReviewed = (path: string): boolean => /^(services|libs|packages)\/[^/]+\/src\//.test(path);

function printSample(): void {
  const paths = readSourceTree(root)
    .modules.filter(({ path, isTest }) => !isTest && isReviewed(path))
    .map(({ path }) => path);
  for (const path of sampleOf(paths, { size: Number(values.size), seed: Number(values.seed) })) console.log(path);
}

function printCounts(): void {
  const counted = values.at.map((commit) => countConstructs(root, commit));
  console.log(`${'lines with'.padEnd(50)}${values.at.map((commit) => commit.padStart(12)).join('')}`);
  for (const [row, [name]] of (counted[0] ?? []).entries())
    console.log(`${name.padEnd(50)}${counted.map((column) => String(column[row]?.[1]).padStart(12)).join('')}`);
}

const [command] = positionals;
if (values.help || (command !== 'sample' && command !== 'counts')) {
  console.log(HELP);
  process.exitCode = values.help ? 0 : 2;
} else if (command === 'sample') printSample();
else printCounts();
