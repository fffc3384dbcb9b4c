import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Problem } from '../../local/problem.ts';

/** Names that `tidemark-admin backup` gives: they sort by time. */
const NAME = /^tidemark-\d{4}-\d{2}-\d{2}T[\d-]+Z$/;

/** Deletes all but the newest backups of a folder. Other folders in it are left. @throws Problem if `keep` is no number above 0 */
export function deleteOldBackups(folder: string, keep: number, say: (line: string) => void): void {
  if (!Number.isInteger(keep) || keep < 1)
    throw new Problem(`--keep ${keep} is no number of backups; expected 1 or more.`);
  const backups = readdirSync(folder).filter(
    (name) => NAME.test(name) && existsSync(join(folder, name, 'manifest.json')),
  );
  for (const name of backups.sort().slice(0, -keep)) {
    // Without its manifest a folder is no backup: an interrupted deletion leaves none that seems whole.
    rmSync(join(folder, name, 'manifest.json'));
    rmSync(join(folder, name), { recursive: true });
    say(`deleted ${name}`);
  }
}
