import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { helmEnv, helmPath } from '../chart/helm.ts';
import { runCommand } from '../run-command.ts';
import { ARTEFACTS } from './artefact-list.ts';
import { licenceFaults, licenceList } from './licences.ts';
import { sbomOf } from './sbom.ts';
import { currentVersion } from './version-files.ts';

export interface ArtefactOptions {
  readonly root: string;
  readonly outDir: string;
  readonly say: (line: string) => void;
}

/**
 * Builds what a release delivers besides the images into a folder: the npm packages, the wheel and source archive of the Python package, the
 * chart, a bill of materials and a list of licences per artefact, and SHA256SUMS. Checks what publishing each package would do; publishes nothing.
 * @throws Error naming the step that failed
 */
export async function buildArtefacts({ root, outDir, say }: ArtefactOptions): Promise<void> {
  rmSync(outDir, { recursive: true, force: true });
  for (const dir of ['sbom', 'licences']) mkdirSync(join(outDir, dir), { recursive: true });
  await npmPackages(root, outDir, say);
  await pythonPackage(root, outDir, say);
  await chart(root, outDir, say);
  await billsOfMaterials(root, outDir, say);
  writeFileSync(join(outDir, 'SHA256SUMS'), checksums(outDir));
  say(`SHA256SUMS lists every file in ${outDir}`);
}

const Published = z.object({
  name: z.string(),
  version: z.string(),
  files: z.array(z.object({ path: z.string() })),
  unpackedSize: z.number(),
});

async function npmPackages(root: string, outDir: string, say: (line: string) => void): Promise<void> {
  const pnpm = join(root, 'node_modules/.bin/pnpm');
  for (const name of ['sdk', 'cli']) {
    await run(root, [pnpm, '--filter', `@tidemark/${name}`, 'pack', '--pack-destination', outDir], {
      PATH: `${join(root, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}`,
    });
    const file = join(outDir, `tidemark-${name}-${currentVersion(root)}.tgz`);
    const { name: published, version, files, unpackedSize } = await publishDryRun(root, file);
    const foreign = files.filter(({ path }) => !/^(dist\/.*\.(js|d\.ts)|package\.json|README\.md)$/.test(path));
    if (foreign.length > 0)
      throw new Error(
        `${published} would publish ${foreign.map(({ path }) => path).join(', ')}; expected dist, package.json and README.md only`,
      );
    say(`${published} ${version}: ${files.length} files, ${Math.ceil(unpackedSize / 1024)} KB, ready to publish`);
  }
}

/** Returns what `npm publish` would publish, and the name and version under which it would. */
async function publishDryRun(root: string, file: string): Promise<z.infer<typeof Published>> {
  const output = await run(
    root,
    ['npm', 'publish', '--dry-run', '--json', '--access', 'public', '--tag', 'latest', file],
    {
      npm_config_loglevel: 'error',
    },
  );
  const read: unknown = JSON.parse(output.slice(output.indexOf('{')));
  const single = Published.safeParse(read);
  return single.success
    ? single.data
    : Published.parse(Object.values(z.record(z.string(), z.unknown()).parse(read))[0]);
}

async function pythonPackage(root: string, outDir: string, say: (line: string) => void): Promise<void> {
  const build =
    'import sys, build_backend; print(build_backend.build_wheel(sys.argv[1]), build_backend.build_sdist(sys.argv[1]))';
  const dir = join(root, 'clients/python');
  const names = await run(dir, [process.env['PYTHON'] ?? 'python3', '-S', '-c', build, outDir], { PYTHONPATH: dir });
  say(`${names}: ready to publish`);
}

async function chart(root: string, outDir: string, say: (line: string) => void): Promise<void> {
  const helm = await helmPath();
  await run(root, [helm, 'package', 'helm/tidemark', '--destination', outDir], helmEnv());
  say(`tidemark-chart ${currentVersion(root)}`);
}

async function billsOfMaterials(root: string, outDir: string, say: (line: string) => void): Promise<void> {
  const time = new Date((await run(root, ['git', 'log', '-1', '--format=%cI'])).trim());
  const faults: string[] = [];
  for (const { name, packages } of ARTEFACTS) {
    const sbom = await sbomOf(root, { packages }, time);
    writeFileSync(join(outDir, 'sbom', `${name}.cdx.json`), `${JSON.stringify(sbom, null, 2)}\n`);
    writeFileSync(join(outDir, 'licences', `${name}.txt`), licenceList(name, sbom));
    faults.push(...licenceFaults(sbom).map((fault) => `${name}: ${fault}`));
  }
  if (faults.length > 0) throw new Error(`these packages have no accepted licence:\n${faults.join('\n')}`);
  say(`${ARTEFACTS.length} bills of materials (CycloneDX) and lists of licences`);
}

function checksums(dir: string): string {
  const files = readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((file) => statSync(join(dir, file)).isFile())
    .sort();
  return files.map((file) => `${sha256(readFileSync(join(dir, file)))}  ${file}\n`).join('');
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

async function run(
  cwd: string,
  command: readonly [string, ...string[]],
  env: Record<string, string> = {},
): Promise<string> {
  const { ok, output } = await runCommand(command, cwd, env);
  if (!ok) throw new Error(`${command.slice(0, 4).join(' ')} failed: ${output.slice(-2_000)}`);
  return output;
}
