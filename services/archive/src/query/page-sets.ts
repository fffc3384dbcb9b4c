import { AppError } from '@tidemark/errors';
import { VERDICTS } from '@tidemark/results';

/** The sets of the link graph as crawl defines them, over captured pages instead of URLs. */
const FLAGS: Readonly<Record<string, string>> = {
  orphan: 'p.orphan',
  unlisted: `p.unlisted AND p.verdict IN ('ok', 'thin', 'skipped', 'cached')`,
  dead_end: `p.in_links > 0 AND p.verdict <> 'robots' AND (p.http_status = 0 OR p.http_status >= 400)`,
};

/** Returns the conditions of a verdict and a set of the link graph, as SQL without parameters. @throws AppError validation */
export function pageSets(verdict: string, flag: string): string[] {
  const sets: string[] = [];
  if (verdict !== '') {
    const known = VERDICTS.find((each) => each === verdict);
    if (known === undefined) throw refused('v', `expected one of ${VERDICTS.join(', ')}`);
    sets.push(`p.verdict = '${known}'`);
  }
  if (flag !== '') {
    const set = Object.hasOwn(FLAGS, flag) ? FLAGS[flag] : undefined;
    if (set === undefined) throw refused('flag', `expected one of ${Object.keys(FLAGS).join(', ')}`);
    sets.push(set);
  }
  return sets;
}

const refused = (name: string, msg: string): AppError =>
  new AppError('validation', `${name}: ${msg}`, { detail: [{ loc: ['query', name], msg, type: 'value_refused' }] });
