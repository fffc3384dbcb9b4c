import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Creates an empty profile folder, named by the process that uses it. */
export function makeProfile(parentDir: string): string {
  mkdirSync(parentDir, { recursive: true, mode: 0o700 });
  return mkdtempSync(join(parentDir, `${process.pid}-`));
}

export function removeProfile(dir: string): void {
  rmSync(dir, { recursive: true, force: true, maxRetries: 3, retryDelay: 50 });
}

/** Removes the profiles of processes that no longer exist. */
export function removeAbandonedProfiles(parentDir: string): void {
  if (!existsSync(parentDir)) return;
  for (const name of readdirSync(parentDir)) {
    const pid = /^(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && Number(pid) !== process.pid && !existsSync(`/proc/${pid}`)) {
      removeProfile(join(parentDir, name));
    }
  }
}
