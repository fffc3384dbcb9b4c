import type { DesiredSites } from './apply/sites.ts';
import { CliError, EXIT } from './exit.ts';
import { readInput } from './files.ts';

/** Faults of a file that are printed. */
const MAX_FAULTS = 20;

/** Reads the file of `tidemark apply`. @throws CliError with file, line and expectation of each fault */
export async function readDesiredSites(file: string, signal: AbortSignal): Promise<DesiredSites> {
  const text = await readInput(file, signal);
  const { readSites } = await import('./sites-reader.ts');
  const result = readSites(text, process.env);
  if ('sites' in result) return result.sites;
  const more = result.faults.length - MAX_FAULTS;
  const lines = result.faults.slice(0, MAX_FAULTS).map((fault) => `${file}:${fault}`);
  throw new CliError([...lines, ...(more > 0 ? [`  and ${more} more`] : [])].join('\n'), EXIT.usage);
}
