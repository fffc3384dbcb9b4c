import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const BUNDLED = join(import.meta.dirname, '../../libs/catalogue/catalogue.json');

/** The plan of test workspaces: 1,000 credits once, the sub-accounts and features of the largest plan, and a rate that no suite exceeds. */
export const TEST_PLAN = 'test';

/** Requests per minute of each key on that plan: one suite sends thousands. */
export const TEST_RPM = 30_000;

/** A plan without features and credits. */
export const BARE_PLAN = 'bare';

/** Path of the catalogue of a fleet. */
export const catalogueIn = (dir: string): string => join(dir, 'catalogue.json');

/** Writes the bundled catalogue with the plans of tests and `more` plans. @returns the path of the file */
export function writeCatalogue(dir: string, more: Readonly<Record<string, object>> = {}): string {
  const { plans, ...rest } = JSON.parse(readFileSync(BUNDLED, 'utf8'));
  const file = catalogueIn(dir);
  const bare = { rpm: 3_000, subAccounts: 0, features: [] };
  const test = { welcomeCredits: 1_000, rpm: TEST_RPM, subAccounts: 100 };
  writeFileSync(
    file,
    JSON.stringify({ ...rest, plans: { ...plans, [TEST_PLAN]: test, [BARE_PLAN]: bare, ...more } }, null, 2),
  );
  return file;
}
