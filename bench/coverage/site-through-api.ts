import type { RunCoverage } from '@tidemark/api';
import type { Api } from '../../test/harness/api.ts';
import { makeProject, readRun, startRun } from '../../test/harness/projects.ts';
import { until } from '../../test/harness/until.ts';
import { printTable } from '../shared/table.ts';
import { type Site, startSite } from '../site/start-site.ts';
import type { TruePage } from '../site/truth.ts';

const ENDS_WITHIN_MS = 900_000;
const SHOWN = 12;

/** Pages that links or sitemaps can reveal to a crawler without a browser. A page that is refused, or fails on the server, may exist. */
const isCountable = ({ status, reach, isAllowed, kind }: TruePage): boolean =>
  (status === 200 || status === 401 || status === 500) &&
  isAllowed &&
  kind !== 'soft_404' &&
  (reach === 'links' || reach === 'sitemap');

/** Returns whether the redirects of a URL lead in a circle: nothing states that there is no page. */
function isEndless({ path, redirectsTo }: TruePage, byPath: ReadonlyMap<string, TruePage>): boolean {
  const seen = new Set([path]);
  for (let next = redirectsTo; next !== null; next = byPath.get(next)?.redirectsTo ?? null) {
    if (seen.has(next)) return true;
    seen.add(next);
  }
  return false;
}

const sectionOf = (path: string): string => (path.split('/').length > 2 ? `/${path.split('/')[1]}` : '/');

/** Crawls the test site of bench/site and compares the estimate of the run with the truth. @returns whether the interval holds it */
export async function estimateOfSite(api: Api, pages: number): Promise<boolean> {
  const site = await startSite({ pages, prewarm: true, slowMs: 50 });
  try {
    const coverage = await crawled(api, site, pages);
    const { pages: truth } = await site.truth();
    const byPath = new Map(truth.map((page) => [page.path, page]));
    return compared(
      coverage,
      truth.filter((page) => isCountable(page) || isEndless(page, byPath)),
    );
  } finally {
    site.stop();
  }
}

async function crawled(api: Api, site: Site, pages: number): Promise<RunCoverage> {
  const config = { max_pages: 3 * pages, max_tier: 'http', concurrency: 20 };
  const project = await makeProject(api, { seed: `${site.base}/`, config });
  const run = await startRun(api, project.id);
  const isOver = async () => {
    const { status } = await readRun(api, run);
    return status !== 'queued' && status !== 'running';
  };
  await until('the run to end', isOver, { withinMs: ENDS_WITHIN_MS });
  const { status, text } = await api.get(`/projects/${project.id}/runs/${run.id}`);
  if (status !== 200) throw new Error(`the run can't be read: ${status} ${text}`);
  const { coverage }: { coverage: RunCoverage | null } = JSON.parse(text);
  if (coverage === null) throw new Error('the run has no coverage');
  return coverage;
}

function compared({ found, read, estimate, estimateReason }: RunCoverage, truth: readonly TruePage[]): boolean {
  console.log(`test site: ${truth.length} pages that links and sitemaps can reveal; found ${found}, read ${read}`);
  if (estimate === null) {
    console.log(`no estimate: ${estimateReason}`);
    return false;
  }
  const { pages, low, high, readShare, sections } = estimate;
  const counts = Map.groupBy(truth, ({ path }) => sectionOf(path));
  printTable(
    ['section', 'truth', 'found', 'estimate', 'interval'],
    sections
      .slice(0, SHOWN)
      .map((each) => [
        each.section || '(others)',
        String(counts.get(each.section)?.length ?? '-'),
        String(each.found),
        each.estimate === null ? (each.estimateReason ?? '') : String(each.estimate.pages),
        each.estimate === null ? '-' : `${each.estimate.low} to ${each.estimate.high}`,
      ]),
  );
  const isHeld = low <= truth.length && truth.length <= high;
  console.log(
    `about ${pages} pages (${low} to ${high}), ${(100 * readShare).toFixed(1)} % read; the truth is ${truth.length}: ${isHeld ? 'met' : 'MISSED'}`,
  );
  return isHeld;
}
