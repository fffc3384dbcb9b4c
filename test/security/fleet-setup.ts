import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import startShared, { tearDown as endShared } from '../harness/fleet-setup.ts';

const BUNDLED = join(import.meta.dirname, '../../libs/catalogue/catalogue.json');
let dir = '';

/** Starts the stack of the whole attack suite: that of the other tests, and a plan that neither rate nor credits end. */
// biome-ignore lint/style/noDefaultExport: jest loads a global setup so.
export default async function setUp(): Promise<void> {
  dir = mkdtempSync(join(tmpdir(), 'tidemark-plans-'));
  const { plans, ladder } = JSON.parse(readFileSync(BUNDLED, 'utf8'));
  const attack = { welcomeCredits: 1_000_000_000, rpm: 10_000_000, subAccounts: 0 };
  const file = join(dir, 'catalogue.json');
  writeFileSync(file, JSON.stringify({ plans: { ...plans, attack }, ladder }));
  process.env['TIDEMARK_CATALOGUE'] = file;
  await startShared();
}

export const tearDown = async (): Promise<void> => {
  await endShared();
  rmSync(dir, { recursive: true, force: true });
};
