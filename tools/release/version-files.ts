import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A version without a suffix, such as `1.4.0`. */
const VERSION = /^\d+\.\d+\.\d+$/;

/** A place that states the version of the product, and how it is written there: `$` stands for the version. */
interface VersionPlace {
  readonly file: string;
  readonly text: string;
}

const PLACES: readonly VersionPlace[] = [
  { file: 'packages/cli/src/version.ts', text: "export const VERSION = '$';" },
  { file: 'packages/cli/README.md', text: 'tidemark-cli-$.tgz' },
  { file: 'packages/sdk/README.md', text: 'tidemark-sdk-$.tgz' },
  { file: 'services/mcp/src/service.ts', text: "const VERSION = '$';" },
  { file: 'clients/python/pyproject.toml', text: '\nversion = "$"\n' },
  { file: 'clients/python/src/tidemark/__init__.py', text: '__version__ = "$"' },
  { file: 'helm/tidemark/Chart.yaml', text: '\nversion: $\n' },
  { file: 'helm/tidemark/Chart.yaml', text: '\nappVersion: "$"\n' },
  { file: 'deploy/Dockerfile', text: 'ARG VERSION=$\n' },
];

/** The manifests of the workspace; all have the version of the product. */
const MANIFESTS = ['package.json', '{packages,services,libs}/*/package.json'];

/** Returns every place that states the version, with the text it must contain. */
function placesIn(root: string): VersionPlace[] {
  const manifests = globSync(MANIFESTS, { cwd: root }).sort();
  return [...manifests.map((file) => ({ file, text: '\n  "version": "$",\n' })), ...PLACES];
}

/** Returns the version of the product. @throws Error if package.json states none */
export function currentVersion(root: string): string {
  const version = /^ {2}"version": "(.*)",$/m.exec(readFileSync(join(root, 'package.json'), 'utf8'))?.[1];
  if (version === undefined || !VERSION.test(version)) throw new Error('package.json states no version such as 1.4.0');
  return version;
}

/** Returns the files that state another version, or none. */
export function otherVersions(root: string, version = currentVersion(root)): string[] {
  return placesIn(root)
    .filter(({ file, text }) => !readFileSync(join(root, file), 'utf8').includes(text.replace('$', version)))
    .map(({ file, text }) => `${file}: expected ${JSON.stringify(text.replace('$', version))}`);
}

/** Writes a version to every place. Returns the changed files. @throws Error if a place does not state the current version */
export function writeVersion(root: string, version: string): string[] {
  const current = currentVersion(root);
  const others = otherVersions(root, current);
  if (others.length > 0) throw new Error(`these files do not state version ${current}:\n${others.join('\n')}`);
  const places = placesIn(root);
  for (const { file, text } of places) {
    const path = join(root, file);
    const changed = readFileSync(path, 'utf8').replace(text.replace('$', current), text.replace('$', version));
    writeFileSync(path, changed);
  }
  return [...new Set(places.map(({ file }) => file))];
}

/** Returns the version after a step, or the given version. @throws Error if it is not later than the current one */
export function nextVersion(current: string, step: string): string {
  const [major = 0, minor = 0, patch = 0] = numbersOf(current);
  if (step === 'major') return `${major + 1}.0.0`;
  if (step === 'minor') return `${major}.${minor + 1}.0`;
  if (step === 'patch') return `${major}.${minor}.${patch + 1}`;
  if (!VERSION.test(step))
    throw new Error(`"${step}" is no version; expected major, minor, patch or a version such as 1.4.0`);
  if (compareVersions(step, current) <= 0) throw new Error(`version ${step} is not later than ${current}`);
  return step;
}

/** Compares two versions by their numbers: negative if the first is earlier. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [numbersOf(a), numbersOf(b)];
  const differs = left.findIndex((number, index) => number !== right[index]);
  return differs === -1 ? 0 : (left[differs] ?? 0) - (right[differs] ?? 0);
}

const numbersOf = (version: string): number[] => version.split('.').map(Number);
