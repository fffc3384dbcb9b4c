import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeCatalogue } from '../harness/catalogue.ts';
import startShared, { tearDown as endShared } from '../harness/fleet-setup.ts';

let dir = '';

/** Starts the stack of the whole attack suite: that of the other tests, and a plan that neither rate nor credits end. */
// biome-ignore lint/style/noDefaultExport: jest loads a global setup so.
export default async function setUp(): Promise<void> {
  dir = mkdtempSync(join(tmpdir(), 'tidemark-plans-'));
  const attack = { welcomeCredits: 1_000_000_000, rpm: 10_000_000, subAccounts: 0 };
  process.env['TIDEMARK_CATALOGUE'] = writeCatalogue(dir, { attack });
  await startShared();
}

export const tearDown = async (): Promise<void> => {
  await endShared();
  rmSync(dir, { recursive: true, force: true });
};
