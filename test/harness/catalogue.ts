import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const BUNDLED = join(import.meta.dirname, '../../libs/catalogue/catalogue.json');

/** The plan of test workspaces: 1,000 credits once, and the rate, the sub-accounts and the features of the largest plan. */
export const TEST_PLAN = 'test';

/** A plan without features and credits. */
export const BARE_PLAN = 'bare';

/** Writes the bundled catalogue with the plans of tests and `more` plans. @returns the path of the file */
export function writeCatalogue(dir: string, more: Readonly<Record<string, object>> = {}): string {
  const { plans, ...rest } = JSON.parse(readFileSync(BUNDLED, 'utf8'));
  const file = join(dir, 'catalogue.json');
  const bare = { rpm: 3_000, subAccounts: 0, features: [] };
  const test = { welcomeCredits: 1_000, rpm: 3_000, subAccounts: 100 };
  writeFileSync(
    file,
    JSON.stringify({ ...rest, plans: { ...plans, [TEST_PLAN]: test, [BARE_PLAN]: bare, ...more } }, null, 2),
  );
  return file;
}
