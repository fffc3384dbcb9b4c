// `npm run release`: prepares a release and builds what it delivers. Publishes nothing.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '../deploy/local/problem.ts';
import { buildArtefacts } from './release/build-artefacts.ts';
import { prepareRelease } from './release/prepare-release.ts';
import { currentVersion } from './release/version-files.ts';

const ROOT = resolve(import.meta.dirname, '..');
const HELP = `npm run release -- prepare <major|minor|patch|1.4.0> [--dry-run]
  Writes the version to every file that states it, turns the fragments in changes/ into sections of CHANGELOG.md and UPGRADING.md,
  commits, and tags the commit as v<version>. With --dry-run prints the sections and writes nothing.

npm run release -- artefacts [--out FOLDER]
  Builds the npm packages, the Python package, the chart, and a bill of materials (CycloneDX) and a list of licences per artefact,
  with SHA256SUMS; checks what publishing would do. Default folder: .tidemark/release/<version>.`;

async function main(): Promise<void> {
  const options = { 'dry-run': { type: 'boolean' }, out: { type: 'string' }, help: { type: 'boolean' } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const say = (line: string): void => console.log(line);
  const [command, step, ...others] = positionals;
  if (values.help === true) {
    say(HELP);
  } else if (others.length > 0 || (command === 'artefacts' && step !== undefined)) {
    throw new Error(`too many words: ${positionals.join(' ')}; --help shows the commands`);
  } else if (command === 'prepare') {
    if (step === undefined) throw new Error('prepare needs major, minor, patch or a version such as 1.4.0');
    const date = new Date().toISOString().slice(0, 10);
    await prepareRelease({ root: ROOT, step, date, isDryRun: values['dry-run'] ?? false, say });
  } else if (command === 'artefacts') {
    const outDir = resolve(values.out ?? `${ROOT}/.tidemark/release/${currentVersion(ROOT)}`);
    await buildArtefacts({ root: ROOT, outDir, say });
  } else {
    throw new Error(
      `${command === undefined ? 'no command is given' : `there is no command ${command}`}; expected prepare or artefacts, or --help`,
    );
  }
}

await main().catch((error: unknown) => {
  console.error(`release: ${messageOf(error)}`);
  process.exitCode = 1;
});
