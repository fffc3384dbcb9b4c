import { type Caller, textOrEmpty } from '@tidemark/contracts';
import {
  ArchiveServiceService as Archive,
  type ReadingRef,
  type TextVersion,
} from '@tidemark/contracts/archive/v1/archive';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import type { BlamePool } from '../blame/blame-pool.ts';
import { type BlamedBlock, blamedBlocks } from '../blame/blamed-blocks.ts';
import { contentPageOf } from '../blame/content-page.ts';
import { decodeState } from '../blame/encode-state.ts';
import { StoredBlocks } from '../comparison/stored-blocks.ts';
import type { BlameStore, FollowedVersion, StoredBlame } from '../store/blame-store.ts';
import { makeLoadBodies } from './load-captures.ts';

/** Versions that are followed at most, the newest ones. */
const MAX_VERSIONS = 2_000;
/** Versions whose blocks are in memory at the same time. */
const VERSIONS_AT_ONCE = 16;
/** Time limit of one call, ms: what was followed until then is stored, and a repeated call continues. */
const CALL_MS = 15_000;
const RETRY_AFTER_SECONDS = 1;

export interface BlameRequest {
  readonly projectId: string;
  /** Keys of the URLs that the page may be stored under. */
  readonly urlKeys: readonly Buffer[];
  /** Undefined: the newest version. */
  readonly at: Date | undefined;
}

/** A version that blocks and words refer to by its number. */
export interface BlamedVersion {
  readonly since: Date;
  /** The texts of the version may be older: earlier readings were deleted before their history was computed. */
  readonly isAtLeast: boolean;
  /** Undefined: its readings were deleted. */
  readonly reading: ReadingRef | undefined;
}

export interface PageBlame {
  readonly versions: readonly BlamedVersion[];
  /** Number of the version that the blocks are of. */
  readonly version: number;
  readonly blocks: readonly BlamedBlock[];
  readonly completeSince: Date | undefined;
}

/**
 * Returns the content blocks of a version of a page, each with the versions in which it appeared and was edited.
 * @throws AppError not_found if no reading of the page is stored or the version was not read as text; before_history if every version is
 *   later than the time; unavailable if the time of the call is over
 */
export type BlamePage = (call: CallContext & { readonly caller: Caller }, request: BlameRequest) => Promise<PageBlame>;

export interface BlamePageDeps {
  readonly archive: Peer;
  readonly blames: Pick<BlameStore, 'find' | 'store'>;
  readonly pool: Pick<BlamePool, 'follow'>;
  readonly nowMs: () => number;
}

/** A stored version, oldest first. */
interface ListedVersion {
  readonly sinceMs: number;
  readonly language: string;
  readonly reading: ReadingRef;
}

export function makeBlamePage({ archive, blames, pool, nowMs }: BlamePageDeps): BlamePage {
  return async (call, { projectId, urlKeys, at }) => {
    const untilMs = nowMs() + CALL_MS;
    const request = { projectId, urlKeys: [...urlKeys], limit: MAX_VERSIONS };
    const found = await archive.call(Archive.listVersions, request, call);
    const { listed, target, isNewest } = selectVersions(found.versions, at);
    const [urlKey = Buffer.alloc(0)] = urlKeys;
    const key = { projectId, urlKey, language: target.language };
    const isFromStart = found.completeSince === undefined && !found.isMore;
    const loadBodies = makeLoadBodies(archive, ['blocks'], call);
    const load: LoadBlocks = async ({ reading: { runId, pageId } }) => (await loadBodies({ runId, pageId }))?.blocks;

    let blame = continuable(await blames.find(key), listed) ?? { ...NOTHING_FOLLOWED, isFromStart };
    for (let rest = restOf(blame, listed); rest.length > 0; rest = rest.slice(VERSIONS_AT_ONCE)) {
      if (nowMs() > untilMs) throw unfinished();
      blame = await followNext({ pool, load }, blame, { listed, next: rest.slice(0, VERSIONS_AT_ONCE) });
      // A page as it was at a time replaces no history that reaches further.
      if (isNewest) await blames.store(key, blame);
    }
    return { ...(await viewOf(load, blame, { listed, target })), completeSince: found.completeSince };
  };
}

type LoadBlocks = (version: ListedVersion) => Promise<Uint8Array | undefined>;

const NOTHING_FOLLOWED: Omit<StoredBlame, 'isFromStart'> = { versions: [], state: new Uint8Array() };

const unfinished = (): AppError =>
  new AppError('unavailable', 'the page has more versions than one request reads; repeat the request', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });

/** The versions up to the requested one, in its language. */
interface SelectedVersions {
  readonly listed: readonly ListedVersion[];
  /** The last of them. */
  readonly target: ListedVersion;
  readonly isNewest: boolean;
}

/** @throws AppError before_history if every version is later than the time */
function selectVersions(versions: readonly TextVersion[], at: Date | undefined): SelectedVersions {
  const all = versions.flatMap(toListed).reverse();
  const target = at === undefined ? all.at(-1) : all.findLast(({ sinceMs }) => sinceMs <= at.getTime());
  if (target === undefined) throw new AppError('before_history', 'every stored version of the page is later than `at`');
  const ofLanguage = all.filter(({ language }) => language === target.language);
  const listed = ofLanguage.slice(0, ofLanguage.indexOf(target) + 1);
  return { listed, target, isNewest: target === ofLanguage.at(-1) };
}

interface FollowedRange {
  readonly listed: readonly ListedVersion[];
  /** The versions to follow now. */
  readonly next: readonly ListedVersion[];
}

/** Follows the next versions. Those that were not read as text are left out. */
async function followNext(
  { pool, load }: { readonly pool: BlamePageDeps['pool']; readonly load: LoadBlocks },
  blame: StoredBlame,
  { listed, next }: FollowedRange,
): Promise<StoredBlame> {
  const last = lastFollowed(blame, listed);
  const [before, ...pages] = await Promise.all([last && load(last), ...next.map(load)]);
  const first = blame.versions.length;
  const versions = pages.flatMap((blocks, index) => (blocks === undefined ? [] : [{ number: first + index, blocks }]));
  const followed = next.map(
    ({ sinceMs }, index): FollowedVersion => (pages[index] === undefined ? { sinceMs, isSkipped: true } : { sinceMs }),
  );
  const task = { versions, ...(before === undefined ? {} : { known: { state: blame.state, before } }) };
  const state = versions.length === 0 ? blame.state : await pool.follow(task);
  return { ...blame, versions: [...blame.versions, ...followed], state };
}

/** @throws AppError not_found if the version was not read as text */
async function viewOf(
  load: LoadBlocks,
  { versions, isFromStart, state }: StoredBlame,
  { listed, target }: Pick<SelectedVersions, 'listed' | 'target'>,
): Promise<Omit<PageBlame, 'completeSince'>> {
  const blocks = await load(target);
  if (blocks === undefined || state.length === 0)
    throw new AppError('not_found', 'the version of the page was not read as text');
  return {
    versions: versions.map((version, number) => toBlamed(version, number, { isFromStart, listed })),
    version: versions.length - 1,
    blocks: blamedBlocks(contentPageOf(new StoredBlocks(blocks)), decodeState(state)),
  };
}

const toListed = ({ first, since, language }: TextVersion): ListedVersion[] =>
  first === undefined || since === undefined
    ? []
    : [{ sinceMs: since.getTime(), language: textOrEmpty(language), reading: first }];

/** Returns the last version that was followed and read as text. */
function lastFollowed({ versions }: StoredBlame, listed: readonly ListedVersion[]): ListedVersion | undefined {
  const last = versions.findLast(({ isSkipped }) => isSkipped !== true);
  return last && listed.find(({ sinceMs }) => sinceMs === last.sinceMs);
}

/** Returns the number of listed versions that were followed. */
const followedCount = ({ versions }: StoredBlame, listed: readonly ListedVersion[]): number =>
  listed.findIndex(({ sinceMs }) => sinceMs === versions.at(-1)?.sinceMs) + 1;

/** Returns the listed versions that are to be followed. */
const restOf = (blame: StoredBlame, listed: readonly ListedVersion[]): readonly ListedVersion[] =>
  blame.versions.length === 0 ? listed : listed.slice(followedCount(blame, listed));

/**
 * Returns a stored history if the listed versions continue it: it ends with one of them, and it has all before that one. The oldest
 * versions of the history may have been deleted. A late reading between others makes another history.
 */
function continuable(stored: StoredBlame | undefined, listed: readonly ListedVersion[]): StoredBlame | undefined {
  if (stored === undefined) return undefined;
  const count = followedCount(stored, listed);
  if (count === 0 || lastFollowed(stored, listed) === undefined) return undefined;
  const last = stored.versions.slice(-count);
  const isSame = last.length === count && last.every(({ sinceMs }, index) => sinceMs === listed[index]?.sinceMs);
  return isSame ? stored : undefined;
}

const toBlamed = (
  { sinceMs }: FollowedVersion,
  number: number,
  { isFromStart, listed }: { readonly isFromStart: boolean; readonly listed: readonly ListedVersion[] },
): BlamedVersion => ({
  since: new Date(sinceMs),
  isAtLeast: number === 0 && !isFromStart,
  reading: listed.find((version) => version.sinceMs === sinceMs)?.reading,
});
