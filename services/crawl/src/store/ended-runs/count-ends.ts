import { pagesRead } from '@tidemark/contracts';
import { column, type Params, sql, stateOf } from '@tidemark/sql';
import type pg from 'pg';
import type { Run } from '../../domain/run/run.ts';
import type { PageEnds } from '../../domain/run/run-outcome.ts';
import { schema } from '../tables.ts';
import { inIndexOrder } from './in-index-order.ts';

const COUNT = schema.prepareText(
  'count-ends',
  {
    verdict: stateOf<PageEnds['verdict']>(),
    errorCode: column('text'),
    isHostGivenUp: column('bool'),
    pages: column('int4'),
  },
  ({ runNo, givenUp }: Params<{ readonly runNo: bigint | string; readonly givenUp: readonly string[] }>) => sql`
    SELECT coalesce(verdict, '') AS verdict, coalesce(error_code, '') AS "errorCode", host = ANY(${givenUp}) AND coalesce(http_status, 0) = 0 AS "isHostGivenUp", count(*)::int AS pages
    FROM frontier WHERE run_no = ${runNo} AND number IS NOT NULL GROUP BY 1, 2, 3`,
);

/** Counts the pages of a run by how they ended. */
export type CountEnds = (run: Pick<Run, 'no' | 'verdicts' | 'givenUp'>) => Promise<PageEnds[]>;

/** Makes a function that counts the pages of a run by how they ended. Pages are read only where none has a verdict of a page that was read. */
export function makeCountEnds(pool: pg.Pool): CountEnds {
  return async ({ no, verdicts, givenUp }) => {
    const byVerdict = Object.entries(verdicts).map(([verdict, pages]) => toEnds(verdict, pages));
    if (pagesRead(verdicts) > 0) return byVerdict;
    const counted = await inIndexOrder(pool, COUNT, { runNo: no, givenUp });
    // A lost page has no number.
    return [...counted, ...byVerdict.filter(({ verdict }) => verdict === 'lost')];
  };
}

const toEnds = (verdict: string, pages: number): PageEnds => ({ verdict, errorCode: '', isHostGivenUp: false, pages });
