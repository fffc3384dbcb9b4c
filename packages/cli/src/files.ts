import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { CliError, EXIT } from './exit.ts';

/** Largest input file, bytes. */
const MAX_BYTES = 200_000_000;

/** Reads a file, or standard input for `-`. @throws CliError */
export function readInput(path: string): string {
  try {
    const bytes = readFileSync(path === '-' ? 0 : path);
    if (bytes.byteLength > MAX_BYTES) throw new CliError(`${path} is larger than ${MAX_BYTES} bytes: split it`);
    return bytes.toString('utf8');
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(`${path} could not be read: ${error instanceof Error ? error.message : error}`, EXIT.usage);
  }
}

/** Returns the lines of a list of URLs, without comments. */
export const urlLines = (text: string): string[] =>
  text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));

/** Returns a file name for a URL: readable, unique, and without separators of paths. */
export function fileNameOf(url: string, extension: string): string {
  const readable = url
    .replace(/^https?:\/\//, '')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[.-]+|[.-]+$/g, '');
  const hash = createHash('sha256').update(url).digest('hex').slice(0, 8);
  return `${readable.slice(0, 100) || 'page'}-${hash}.${extension}`;
}
