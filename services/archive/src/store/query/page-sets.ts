import type { Verdict } from '@tidemark/contracts/page/v1/page';
import { AppError } from '@tidemark/errors';
import { type RawBuilder, sql } from '@tidemark/sql';

/** The sets of the link graph as crawl defines them, over captured pages instead of URLs. */
const FLAGS: Readonly<Record<string, RawBuilder<boolean>>> = {
  orphan: sql`p.orphan`,
  unlisted: sql`p.unlisted AND p.verdict IN ('ok', 'thin', 'skipped', 'cached')`,
  dead_end: sql`p.in_links > 0 AND p.verdict <> 'robots' AND (p.http_status = 0 OR p.http_status >= 400)`,
};

/** Returns the conditions of a verdict and a set of the link graph, as SQL. @throws AppError validation */
export function pageSets(verdict: Verdict | undefined, flag: string): RawBuilder<boolean>[] {
  const sets: RawBuilder<boolean>[] = [];
  if (verdict !== undefined) sets.push(sql`p.verdict = ${verdict}`);
  if (flag !== '') {
    const set = Object.hasOwn(FLAGS, flag) ? FLAGS[flag] : undefined;
    if (set === undefined) throw refused('flag', `expected one of ${Object.keys(FLAGS).join(', ')}`);
    sets.push(set);
  }
  return sets;
}

const refused = (name: string, msg: string): AppError =>
  new AppError('validation', `${name}: ${msg}`, { detail: [{ loc: ['query', name], msg, type: 'value_refused' }] });
