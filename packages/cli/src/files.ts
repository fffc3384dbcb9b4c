import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { addAbortSignal } from 'node:stream';
import { CliError, EXIT } from './exit.ts';

/** Largest input file, bytes. */
const MAX_BYTES = 200_000_000;

/** Reads a file, or standard input for `-`. @throws CliError, or the reason of the signal */
export async function readInput(path: string, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    const input = addAbortSignal(signal, path === '-' ? process.stdin : createReadStream(path));
    for await (const chunk of input) {
      size += chunk.length;
      if (size > MAX_BYTES) throw new CliError(`${path} is larger than ${MAX_BYTES} bytes: split it`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString('utf8');
  } catch (error) {
    signal.throwIfAborted();
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
