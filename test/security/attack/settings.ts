import { TEST_PLAN } from '../../harness/catalogue.ts';

const number = (name: string, fallback: number): number => {
  const value = Number(process.env[name] ?? fallback);
  return Number.isSafeInteger(value) ? value : fallback;
};

/** Whether the whole suite runs (`npm run test:security`) or its short part (`npm test`). */
export const isWhole = process.env['SECURITY_WHOLE'] === '1';

/** Seed of everything that is generated: fixed in `npm test`, new in each run of the whole suite. A failure prints it. */
export const seed = number('SECURITY_SEED', 21);

/** Generated requests to each route. */
export const runsPerRoute = number('SECURITY_RUNS', isWhole ? 150 : 4);

/** Payloads of each table that each field gets at least, beside its share of them; 0 for all, which are 800,000 requests. */
export const payloadsPerField = number('SECURITY_PAYLOADS', isWhole ? 4 : 1);

/** Requests under way at the same time. */
export const CONCURRENCY = 4;

/** The plan of the suite's workspaces: the whole suite has its own fleet, whose plan `attack` has no rate limit to speak of. */
export const plan = isWhole ? 'attack' : TEST_PLAN;

/** Time after which the generated requests stop, ms. */
export const withinMs = number('SECURITY_SECONDS', isWhole ? 180 : 12) * 1_000;

/** The words that repeat a run. */
export const replay = (title: string): string =>
  `SECURITY_SEED=${seed} SECURITY_RUNS=${runsPerRoute} npm run test:security -- -t '${title}'`;
