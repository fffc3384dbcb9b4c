import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const BUNDLED = join(import.meta.dirname, '../../libs/catalogue/catalogue.json');

/** The plan of test workspaces: 1,000 credits once, and the rate, the sub-accounts and the features of the largest plan. */
export const TEST_PLAN = 'test';

/** Writes the bundled catalogue with the plan of tests and `more` plans. @returns the path of the file */
export function writeCatalogue(dir: string, more: Readonly<Record<string, object>> = {}): string {
  const { plans, ...rest } = JSON.parse(readFileSync(BUNDLED, 'utf8'));
  const file = join(dir, 'catalogue.json');
  const test = { welcomeCredits: 1_000, rpm: 3_000, subAccounts: 100 };
  writeFileSync(file, JSON.stringify({ ...rest, plans: { ...plans, [TEST_PLAN]: test, ...more } }, null, 2));
  return file;
}
