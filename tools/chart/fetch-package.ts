import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runCommand } from '../run-command.ts';

/** A package of the npm registry that only a tool needs: not part of an install, fetched when it is used. */
export interface PinnedPackage {
  readonly name: string;
  readonly version: string;
  /** The registry's own checksum: `sha512-` and base64. */
  readonly integrity: string;
}

/**
 * Unpacks a package to `dir` unless it is there, through npm and whatever registry npm is set to.
 * @throws Error where it can't be had or is not what was pinned
 */
export async function fetchPackage({ name, version, integrity }: PinnedPackage, dir: string): Promise<void> {
  if (existsSync(join(dir, 'package.json'))) return;
  mkdirSync(dirname(dir), { recursive: true });
  const half = mkdtempSync(`${dir}-`);
  try {
    const packed = await runCommand(
      [
        'npm',
        'pack',
        '--loglevel=error',
        '--no-update-notifier',
        '--fetch-retries=1',
        '--fetch-retry-mintimeout=1000',
        `--pack-destination=${half}`,
        `${name}@${version}`,
      ],
      half,
    );
    const file = /[^\s/]+\.tgz$/m.exec(packed.output)?.[0];
    if (!packed.ok || file === undefined)
      throw new Error(`${name}@${version} can't be fetched: ${complaint(packed.output)}`);
    const sum = createHash('sha512')
      .update(readFileSync(join(half, file)))
      .digest('base64');
    if (`sha512-${sum}` !== integrity) throw new Error(`${name}@${version} is not the package it was: sha512-${sum}`);
    const unpacked = await runCommand(['tar', '-xzf', file], half);
    if (!unpacked.ok) throw new Error(`${name}@${version} can't be unpacked: ${complaint(unpacked.output)}`);
    putInPlace(join(half, 'package'), dir);
  } finally {
    rmSync(half, { recursive: true, force: true });
  }
}

/** Two that fetch at once both succeed: the later finds the place taken by the same thing. */
export function putInPlace(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!existsSync(to)) throw error;
  }
}

/** Returns the first line of a program's error output. The later lines of npm name its log file. */
const complaint = (output: string): string => output.trim().split('\n').slice(0, 3).join('; ') || 'it said nothing';
