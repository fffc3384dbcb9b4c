import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PageFlag } from '@tidemark/contracts/archive/v1/archive';
import type { Verdict } from '@tidemark/contracts/page/v1/page';
import { openPool } from '@tidemark/service';
import { startTestServers, type TestServers } from '@tidemark/testkit';
import fc from 'fast-check';
import type pg from 'pg';
import type { ListedRun } from '../src/domain/listed-run.ts';
import { readQuery } from '../src/run-pages/query-pages.ts';
import { PageQueries } from '../src/store/page-queries.ts';
import { FIELDS, type FieldKind } from '../src/store/query/fields.ts';

let servers: TestServers;
let pool: pg.Pool;
let queries: PageQueries;
beforeAll(async () => {
  servers = await startTestServers();
  pool = openPool(servers.database.url, 'archive', 2);
  queries = new PageQueries(pool);
}, 120_000);
afterAll(async () => {
  await pool.end();
  await servers.close();
});

const run: ListedRun = {
  no: '1',
  id: 'run_1',
  workspaceId: 'ws_1',
  projectId: 'prj_1',
  status: 'done',
  endedAt: undefined,
  total: undefined,
  listed: 0,
  provisional: 0,
  checked: 0,
  sketched: 0,
  state: 'settled',
  summary: undefined,
  stuckSince: undefined,
  attempts: 0,
  interruptions: 0,
};
/** Has PostgreSQL read and plan a query and run it over no pages. */
async function plan(q: string, verdict?: Verdict, flag?: PageFlag): Promise<void> {
  const pagesQuery = { q, verdict, flag, after: 0, limit: 10, bodies: [], withBody: undefined };
  const filter = readQuery(pagesQuery)(run, 0, 10);
  expect(await queries.list(filter)).toEqual([]);
  expect(await queries.count(filter)).toBe(0);
}

const VALUES: Readonly<Record<FieldKind, readonly string[]>> = {
  number: ['5', '>5', '>=5', '<-5', '<=5', '1..999999999999999', '1,2,3..4', 'none'],
  decimal: ['5', '>9.99', '<=0.5', '-1.25', '1..9.99', 'none'],
  boolean: ['true', 'false', 'none', 'true,none'],
  date: ['2026-01-01', '>2026-01-01T10:00', '<=9999-12-31', '1970-01-01..2026-01-01', 'none'],
  word: ['"x y"', 'x*', 'none'],
  text: ['x', '"x y"', '*x*', 'none'],
  url: ['/blog/*', '/blog/', 'https*', 'x', 'none'],
  list: ['x', '"x y"', 'x*', 'none'],
};

describe('a query', () => {
  it.each(FIELDS.map((field) => [field.name, field] as const))(
    'about %s is one PostgreSQL can run, in every form',
    async (name, field) => {
      const values = field.oneOf === undefined ? VALUES[field.kind] : [...field.oneOf, 'x*', 'none'];
      for (const value of values) {
        await plan(`${name}:${value}`);
        await plan(`-${name}:${value} word`);
      }
    },
  );

  it.each([undefined, 'orphan', 'unlisted', 'dead_end'] as const)(
    'with the set %j goes with a verdict and a query',
    async (flag) => {
      await plan('depth:>2', 'blocked', flag);
      await plan('', undefined, flag);
    },
  );

  it('of any text is valid in PostgreSQL or refused before', async () => {
    const name = fc.constantFrom(...FIELDS.map((field) => field.name));
    const value = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1 }),
      fc.constantFrom(...Object.values(VALUES).flat()),
    );
    const term = fc
      .tuple(fc.boolean(), fc.option(name), value)
      .map(([isNot, field, text]) => `${isNot ? '-' : ''}${field === null ? '' : `${field}:`}${text}`);
    await fc.assert(
      fc.asyncProperty(fc.array(term, { maxLength: 6 }), async (terms) => {
        await plan(terms.join(' ')).catch((error: unknown) => {
          expect(error).toMatchObject({ code: 'validation' });
        });
      }),
      { numRuns: 300 },
    );
  });
});
