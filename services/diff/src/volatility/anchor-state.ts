/** Why an anchor counts as volatile. */
export type VolatileRule =
  /** A recapture shortly after the first capture differs. */
  | 'recapture'
  /** Only its dates and counters changed, repeatedly. */
  | 'same_mask'
  /** It returns to earlier texts. */
  | 'flapping'
  /** It changes in nearly every run, outside the main part. */
  | 'frequent'
  /** The same block changed in each of the last comparisons. */
  | 'every_time';

/** Change history of one anchor on pages of one template. Stored as a row; bounded size. */
export interface AnchorState {
  readonly anchor: string;
  readonly template: string;
  /** Comparisons that included it, and those in which it changed. */
  readonly comparisons: number;
  readonly changed: number;
  /** The last comparisons, oldest first: `=` stable, `m` changed within its mask, `x` changed otherwise. */
  readonly recent: string;
  /** Hashes of its last texts, oldest first. */
  readonly history: readonly string[];
  /** Blocks of the last comparisons, by hash, with the number of comparisons in a row in which each changed. */
  readonly streaks?: Readonly<Record<string, number>>;
  /** Number of returns to a text in `history`. */
  readonly returns: number;
  /** Number of comparisons in which it was the page's only change. */
  readonly soloChanges: number;
  /** Number of comparisons since its last change. */
  readonly stable: number;
  readonly lastChangedRun: string;
  readonly volatileBy?: VolatileRule;
  /** Never volatile, by choice of the project's owner. */
  readonly isPinned?: true;
}

/** The changes of an anchor in one comparison of two runs, over all pages of its template. */
export interface AnchorChange {
  readonly runId: string;
  /** Hashes of its texts before and after; a bounded sample. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** On every page only dates and counters changed. */
  readonly isWithinMask: boolean;
  /** On at least one page it was the only change. */
  readonly isSolo: boolean;
  readonly isMain: boolean;
  /** On every page no other block has the anchor. */
  readonly isAlone: boolean;
  /** Hashes of the same block before and after; a bounded sample. */
  readonly chains: readonly (readonly [before: string, after: string])[];
  /** It is a list of the head. Its hashes are those of the pages where it changed. */
  readonly isList?: true;
}

const MAX_RECENT = 5;
const MAX_HISTORY = 8;
/** Number of comparisons without a change after which an anchor is no longer volatile and is removed. */
export const STABLE_AFTER = 5;

/** Number of comparisons in a row in which a block changed, after which it counts as volatile. */
const EVERY_TIME = 3;
const MAX_STREAK = 8;
const MAX_STREAKS = 200;
/** Share of the blocks of an anchor that must change every time for all of its blocks to count as volatile. */
const EVERY_TIME_SHARE = 0.8;

/** Whether the block with this hash changed in each of the last comparisons. */
export const hasChangedEveryTime = ({ streaks = {} }: AnchorState, hash: string): boolean =>
  (streaks[hash] ?? 0) >= EVERY_TIME;

function isEveryTime(state: AnchorState, chains: AnchorChange['chains']): boolean {
  const changed = chains.filter(([, after]) => hasChangedEveryTime(state, after)).length;
  return changed > 0 && changed >= chains.length * EVERY_TIME_SHARE;
}

/** A changed block continues the streak of its earlier text. The streaks of other blocks end. */
function continuedStreaks(
  streaks: Readonly<Record<string, number>>,
  chains: AnchorChange['chains'],
): Readonly<Record<string, number>> {
  const continued = chains.map(([before, after]): [string, number] => [
    after,
    Math.min((streaks[before] ?? 0) + 1, MAX_STREAK),
  ]);
  const changed = new Set(chains.map(([before]) => before));
  const stable = Object.entries(decayedStreaks(streaks)).filter(([hash]) => !changed.has(hash));
  return Object.fromEntries([...stable, ...continued].slice(-MAX_STREAKS));
}

/** A block that was volatile is remembered for some comparisons without a change. */
const decayedStreaks = (streaks: Readonly<Record<string, number>>): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.entries(streaks).flatMap(([hash, count]) => (count >= EVERY_TIME ? [[hash, count - 1]] : [])),
  );

/** Returns the state of a new anchor. */
export function newAnchor(anchor: string, template: string): AnchorState {
  return {
    anchor,
    template,
    comparisons: 0,
    changed: 0,
    recent: '',
    history: [],
    returns: 0,
    soloChanges: 0,
    stable: 0,
    lastChangedRun: '',
  };
}

/** Returns the state after a comparison in which the anchor changed. */
export function afterChange(state: AnchorState, change: AnchorChange): AnchorState {
  const isReturn = change.isList !== true && change.after.some((hash) => state.history.includes(hash));
  const next: AnchorState = {
    ...state,
    comparisons: state.comparisons + 1,
    changed: state.changed + 1,
    recent: appendMark(state.recent, change.isWithinMask ? 'm' : 'x'),
    history: [...new Set([...state.history, ...change.before, ...change.after].reverse())]
      .slice(0, MAX_HISTORY)
      .reverse(),
    returns: state.returns + (isReturn ? 1 : 0),
    soloChanges: state.soloChanges + (change.isSolo ? 1 : 0),
    streaks: continuedStreaks(state.streaks ?? {}, change.chains),
    stable: 0,
    lastChangedRun: change.runId,
  };
  if (next.isPinned === true) return withoutVolatility(next);
  const rule = state.volatileBy ?? ruleFor(next, change, isReturn);
  return rule === undefined ? next : { ...next, volatileBy: rule };
}

/** Returns the state after a comparison without a change; undefined: remove it. */
export function afterStable(state: AnchorState): AnchorState | undefined {
  const stable = state.stable + 1;
  const { volatileBy, streaks = {}, ...rest } = state;
  const next = {
    ...rest,
    comparisons: state.comparisons + 1,
    streaks: decayedStreaks(streaks),
    recent: appendMark(state.recent, '='),
    stable,
  };
  if (stable >= STABLE_AFTER) return state.isPinned === true ? next : undefined;
  return volatileBy === undefined ? next : { ...next, volatileBy };
}

/**
 * Returns the state after a recapture that differs. `first` is the hash of the block in the first capture, which the
 * next run is compared with. Where other blocks share the anchor, only that block is volatile.
 */
export function afterRecapture(state: AnchorState, first: string | undefined, isAlone: boolean): AnchorState {
  if (state.isPinned === true) return state;
  const streaks = { ...state.streaks, ...(first === undefined ? {} : { [first]: MAX_STREAK }) };
  if (!isAlone) return { ...state, stable: 0, streaks };
  return { ...state, stable: 0, streaks, volatileBy: state.volatileBy ?? 'recapture' };
}

function withoutVolatility({ volatileBy: _, ...state }: AnchorState): AnchorState {
  return state;
}

function ruleFor(
  state: AnchorState,
  { isMain, isAlone, chains }: AnchorChange,
  isReturn: boolean,
): VolatileRule | undefined {
  const last4 = state.recent.slice(-4);
  if (isReturn && state.returns >= 2) return 'flapping';
  if (count(last4, 'm') >= 3 && !last4.includes('x')) return 'same_mask';
  if (isAlone && isEveryTime(state, chains)) return 'every_time';
  if (!isMain && state.recent.length - count(state.recent, '=') >= 4) return 'frequent';
  return undefined;
}

const appendMark = (recent: string, what: '=' | 'm' | 'x'): string => `${recent}${what}`.slice(-MAX_RECENT);

const count = (text: string, mark: string): number => text.split(mark).length - 1;
