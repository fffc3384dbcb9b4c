import type { RunPageEnded } from '@tidemark/contracts/scrape/v1/events';
import type { Logger, OutgoingEvent } from '@tidemark/service';
import type { Charge } from '../domain/run/charge.ts';
import { type NewPage, RANK } from '../domain/run/run.ts';
import type { PageUrl } from '../domain/scope/page-url.ts';
import { RunTraps } from '../domain/scope/run-traps.ts';
import { EventLoopTurns } from '../event-loop/event-loop-turns.ts';
import { toCharges } from '../store/results/charges.ts';
import type { PageResultStore } from '../store/results/page-result-store.ts';
import type { LockedState, OpenPage, PageResult, ResultBatch } from '../store/results/page-results.ts';
import { evaluateLinks } from './evaluate-links.ts';
import { type RunContext, type RunContexts, withHome } from './run-context.ts';
import type { SeenCache } from './seen-cache.ts';

/** Links evaluated per page; further links are ignored. */
const MAX_LINKS = 2_000;
const PREFIX_BYTES = 8;

interface RecordDeps {
  readonly results: Pick<PageResultStore, 'open' | 'lock' | 'leaveOutLate' | 'writeCharges'>;
  readonly contexts: RunContexts;
  readonly seen: SeenCache;
  /** Returns the links of the page in an earlier run, for a page that is unchanged since (HTTP 304). */
  readonly earlierLinks: (runNo: bigint, key: Buffer) => Promise<readonly string[]>;
  /** Sends charges whose rows are committed. */
  readonly sendEvents: (charges: readonly OutgoingEvent[]) => void;
  /** Wakes the run's orchestrator, if this instance holds the lease. */
  readonly wake: (runId: string) => void;
  readonly now: () => Date;
  readonly log: Pick<Logger, 'warn'>;
}

interface ExtractedPage {
  readonly page: OpenPage;
  readonly end: PageResult;
  readonly found: readonly NewPage[];
}

/** Records pages that ended, and adds the new URLs in scope that they link to to the frontier. */
export type RecordPageResults = (runId: string, ended: readonly RunPageEnded[]) => Promise<void>;

export function makeRecordPageResults(deps: RecordDeps): RecordPageResults {
  return async (runId, ended) => {
    const context = await deps.contexts.get(runId);
    if (context === undefined) return;
    const byCapture = new Map(ended.map((event) => [event.captureId, event]));
    const captureIds = [...byCapture.keys()];
    const open = await deps.results.open(runId, captureIds);
    const known = new Set(open.map(({ captureId }) => captureId));
    const late = captureIds.filter((id) => !known.has(id));
    if (late.length > 0) await leaveOut(deps, context, late);
    if (open.length === 0) return;

    const home = newHome(context, open, byCapture);
    const moved = home ?? open[0]?.home;
    const current = moved === undefined || moved === context.run.home ? context : withHome(context, moved);
    const extracted = await extractPages(deps, current, open, byCapture);
    const landedKeys = extracted.flatMap(({ end }) => end.aliases.map(({ key }) => key));
    await using locked = await deps.results.lock(runId, { captureIds, landedKeys });
    if (locked === undefined) {
      deps.contexts.delete(runId);
      return;
    }
    const thisYear = deps.now().getUTCFullYear();
    const batch = { ...decide(extracted, locked.state, { context: current, seen: deps.seen, thisYear }), home };
    const charges = toCharges(current.run, batch.results.map(chargeOf), deps.now());
    const { fresh, events } = await locked.write(batch, charges);
    deps.sendEvents(events);
    if (current !== context) deps.contexts.replace(current);
    remember(deps, current, extracted, { found: batch.found, fresh });
    deps.wake(runId);
  };
}

/** Duplicates of another page are free. */
const chargeOf = ({ captureId, credits, isSame, httpStatus }: ResultBatch['results'][number]): Charge => ({
  captureId,
  credits: isSame ? 0 : credits,
  isPage: !isSame && httpStatus > 0,
});

/** Leaves out pages whose result arrived after their run was cancelled: they are free, and their leased credits are released. */
async function leaveOut(deps: RecordDeps, { run }: RunContext, captureIds: readonly string[]): Promise<void> {
  const left = await deps.results.leaveOutLate(run.id, captureIds);
  const free = left.map((captureId) => ({ captureId, credits: 0, isPage: false }));
  const charges = toCharges(run, free, deps.now());
  await deps.results.writeCharges(charges);
  deps.sendEvents(charges);
}

/** Returns the host the seed redirects to, if it is another host. The run continues there. */
function newHome(
  { run, rules }: RunContext,
  open: readonly OpenPage[],
  events: ReadonlyMap<string, RunPageEnded>,
): string | undefined {
  const seed = open.find(({ foundVia }) => foundVia === 'seed');
  const landed = URL.parse(events.get(seed?.captureId ?? '')?.url ?? '');
  if (landed === null || run.home !== undefined || seed?.home !== undefined || !rules.followsLinks) return undefined;
  const decision = rules.evaluate(landed.href, 'redirect');
  return decision.follow || decision.reason !== 'another site' ? undefined : landed.host;
}

async function extractPages(
  deps: RecordDeps,
  context: RunContext,
  open: readonly OpenPage[],
  events: ReadonlyMap<string, RunPageEnded>,
): Promise<ExtractedPage[]> {
  const extracted: ExtractedPage[] = [];
  const turns = new EventLoopTurns();
  for (const page of open) {
    const event = events.get(page.captureId);
    if (event === undefined) continue;
    const links = await linksOf(deps, context, page, event);
    const { linked, ignored } = await evaluateLinks(context, page, { links, turns });
    if (ignored > 0 && context.isFirstIgnored())
      deps.log.warn(
        { runId: context.run.id, captureId: page.captureId, ignored, links: links.length },
        'link evaluation exceeded its time limit, links are ignored; the URL patterns of this run are slow',
      );
    extracted.push(extractPage(context, page, event, linked));
  }
  return extracted;
}

async function linksOf(deps: RecordDeps, { run }: RunContext, page: OpenPage, event: RunPageEnded) {
  if (event.nofollow) return [];
  if (event.links.length > 0 || !event.unchanged || run.earlierNo === undefined) return event.links.slice(0, MAX_LINKS);
  return deps.earlierLinks(run.earlierNo, page.key);
}

function extractPage(
  context: RunContext,
  page: OpenPage,
  event: RunPageEnded,
  linked: ReadonlyMap<string, PageUrl>,
): ExtractedPage {
  const { rules } = context;
  const depth = page.depth + 1;
  const mayFollow = rules.followsLinks && depth <= rules.maxDepth;
  const named: NewPage[] = mayFollow
    ? [...linked.values()].map((to) => ({ ...to, depth, rank: RANK.link(depth), foundVia: 'link', referer: page.key }))
    : [];
  const canonical = event.canonical === '' ? undefined : context.link(event.canonical);
  if (canonical !== undefined && rules.followsLinks && !canonical.key.equals(page.key)) {
    named.push({
      ...canonical,
      depth: page.depth,
      rank: RANK.link(page.depth),
      foundVia: 'canonical',
      referer: page.key,
    });
  }
  const visited = [...event.redirects, event.url].flatMap((url) => rules.pageUrlOf(url) ?? []);
  const aliases = visited.filter(({ key }) => !key.equals(page.key));
  const { captureId, verdict, errorCode, httpStatus, credits } = event;
  const prefixes = Buffer.concat([...linked.values()].map(({ key }) => key.subarray(0, PREFIX_BYTES)));
  const of = {
    captureId,
    key: page.key,
    host: page.host,
    isHostGivenUp: event.hostGivenUp,
    isLoginDead: event.loginDead,
  };
  const end = {
    ...of,
    verdict,
    errorCode,
    httpStatus,
    credits,
    missingValues: event.missingValues,
    links: prefixes,
    blockKeys: Buffer.from(event.blockKeys),
    aliases,
  };
  return { page, end, found: named };
}

/** Decides which pages are duplicates and which URLs enter the frontier. Changes nothing. */
function decide(
  extracted: readonly ExtractedPage[],
  locked: LockedState,
  {
    context: { run, traps: detector },
    seen,
    thisYear,
  }: { readonly context: RunContext; readonly seen: Pick<SeenCache, 'has'>; readonly thisYear: number },
): Omit<ResultBatch, 'home'> {
  const open = extracted.filter(({ page }) => locked.open.has(page.captureId));
  const { results, aliases } = resultsOf(open, locked);
  const traps = new RunTraps(locked.traps);
  const found = new Map<string, NewPage>();
  for (const pageUrl of open.flatMap((page) => page.found)) {
    if (seen.has(run.no, pageUrl.key)) continue;
    const at = pageUrl.key.toString('hex');
    if (found.has(at)) continue;
    const trap = detector.trapOf(pageUrl, thisYear);
    if (trap === undefined) found.set(at, pageUrl);
    else traps.cut(trap.pattern, 1, trap.why);
  }
  for (const at of aliases.keys()) found.delete(at);
  if (found.size > locked.room) traps.overflow(found.size - locked.room);
  return {
    results,
    aliases: [...aliases.values()],
    found: [...found.values()].slice(0, locked.room),
    traps: traps.changed,
    newTraps: traps.added,
  };
}

type Alias = ResultBatch['aliases'][number];

/** Decides which pages are duplicates of others. Returns the aliases by key, in hex; the first page with an alias keeps it. */
function resultsOf(
  open: readonly ExtractedPage[],
  locked: LockedState,
): { readonly results: ResultBatch['results']; readonly aliases: ReadonlyMap<string, Alias> } {
  const results: ResultBatch['results'][number][] = [];
  const aliases = new Map<string, Alias>();
  for (const { page, end } of open) {
    const isSame = isTaken(end, locked, aliases);
    results.push({ ...end, isSame });
    for (const alias of aliasesOf(page, end, isSame)) {
      const at = alias.key.toString('hex');
      if (!aliases.has(at)) aliases.set(at, alias);
    }
  }
  return { results, aliases };
}

/** Returns the URLs a page redirects through as aliases of the page, or of the page that it is a duplicate of. */
function aliasesOf(page: OpenPage, { aliases }: PageResult, isSame: boolean): Alias[] {
  const of = isSame ? (aliases.at(-1)?.key ?? page.key) : page.key;
  return aliases.filter(({ key }) => !key.equals(of)).map((alias) => ({ ...alias, of, depth: page.depth }));
}

/** Whether the page redirects to a URL that another page has, or gets in this batch. */
function isTaken({ aliases }: PageResult, { landed }: LockedState, taken: ReadonlyMap<string, unknown>): boolean {
  const at = aliases.at(-1)?.key.toString('hex');
  if (at === undefined) return false;
  const state = landed.get(at);
  return taken.has(at) || (state !== undefined && state !== 'queued' && state !== 'left_out');
}

/** Caches the URLs that are stored, and what the pages show of their patterns. Called after the commit. */
function remember(
  { seen }: RecordDeps,
  { run, traps }: RunContext,
  extracted: readonly ExtractedPage[],
  { found, fresh }: { readonly found: readonly NewPage[]; readonly fresh: readonly Buffer[] },
): void {
  for (const { key } of found) seen.add(run.no, key);
  const isNew = new Set(fresh.map((key) => key.toString('latin1')));
  const firstNamed = Map.groupBy(
    found.filter(({ key }) => isNew.has(key.toString('latin1'))),
    ({ referer }) => referer?.toString('latin1') ?? '',
  );
  for (const { page, found: named } of extracted) {
    const mine = firstNamed.get(page.key.toString('latin1')) ?? [];
    traps.note(
      page.url,
      named.map(({ url }) => url),
      mine.map(({ url }) => url),
    );
  }
}
