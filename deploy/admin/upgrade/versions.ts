import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { asObject } from '../../local/json-file.ts';
import { Problem } from '../../local/problem.ts';

/** Returns the version of an unpacked release. @throws Problem if the folder is none */
export function versionIn(folder: string): string {
  try {
    const { name, version } = asObject(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
    if (name === 'tidemark' && typeof version === 'string') return version;
  } catch {
    // reported below
  }
  throw new Problem(`${folder} contains no release of Tidemark; expected a folder with its package.json.`);
}

/**
 * Returns why an upgrade is refused; undefined if it is not. Adjacent minor versions share schema, messages and calls, so that minor versions are not
 * skipped; a major version is entered from the last minor version before it.
 */
export function upgradeRefusal(from: string, to: string): string | undefined {
  const [major = 0, minor = 0, patch = 0] = from.split('.').map(Number);
  const [nextMajor = 0, nextMinor = 0, nextPatch = 0] = to.split('.').map(Number);
  const isLater = nextMajor - major || nextMinor - minor || nextPatch - patch;
  if (isLater < 0)
    return `${to} is older than ${from}; to go back, restore a backup that ${to} or an earlier version made`;
  if (nextMajor === major && nextMinor - minor > 1)
    return `minor versions are not skipped: upgrade to ${major}.${minor + 1} first`;
  if (nextMajor - major > 1 || (nextMajor - major === 1 && nextMinor > 0))
    return `major versions are not skipped: upgrade to ${major + 1}.0 first`;
  return undefined;
}
