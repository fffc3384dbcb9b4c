import type { Verdict } from '@tidemark/contracts/page/v1/page';
import { type RawBuilder, sql } from '@tidemark/sql';

/** The sets of the link graph as crawl defines them, over captured pages instead of URLs. */
const FLAGS = {
  orphan: sql<boolean>`p.orphan`,
  unlisted: sql<boolean>`p.unlisted AND p.verdict IN ('ok', 'thin', 'skipped', 'cached')`,
  dead_end: sql<boolean>`p.in_links > 0 AND p.verdict <> 'robots' AND (p.http_status = 0 OR p.http_status >= 400)`,
};
export type PageFlag = keyof typeof FLAGS;

/** Returns the conditions of a verdict and a set of the link graph, as SQL. */
export function pageSets(verdict: Verdict | undefined, flag: PageFlag | undefined): RawBuilder<boolean>[] {
  const sets: RawBuilder<boolean>[] = [];
  if (verdict !== undefined) sets.push(sql`p.verdict = ${verdict}`);
  if (flag !== undefined) sets.push(FLAGS[flag]);
  return sets;
}
