/** Why an anchor counts as volatile. */
export type VolatileRule =
  /** A recapture shortly after the first capture differs. */
  | 'recapture'
  /** Only its dates and counters changed, repeatedly. */
  | 'same_mask'
  /** It returns to earlier texts. */
  | 'flapping'
  /** It changes in nearly every run, outside the main part. */
  | 'frequent';

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
}

const MAX_RECENT = 5;
const MAX_HISTORY = 8;
/** Number of comparisons without a change after which an anchor is no longer volatile and is removed. */
export const STABLE_AFTER = 5;

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
  const isReturn = change.after.some((hash) => state.history.includes(hash));
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
  const { volatileBy, ...rest } = state;
  const next = { ...rest, seen: state.comparisons + 1, recent: appendMark(state.recent, '='), stable };
  if (stable >= STABLE_AFTER) return state.isPinned === true ? next : undefined;
  return volatileBy === undefined ? next : { ...next, volatileBy };
}

/** Returns the state after a recapture that differs. */
export function afterRecapture(state: AnchorState): AnchorState {
  return state.isPinned === true ? state : { ...state, stable: 0, volatileBy: state.volatileBy ?? 'recapture' };
}

function withoutVolatility({ volatileBy: _, ...state }: AnchorState): AnchorState {
  return state;
}

function ruleFor(state: AnchorState, { isMain }: AnchorChange, isReturn: boolean): VolatileRule | undefined {
  const last4 = state.recent.slice(-4);
  if (isReturn && state.returns >= 2) return 'flapping';
  if (count(last4, 'm') >= 3 && !last4.includes('x')) return 'same_mask';
  if (!isMain && state.recent.length - count(state.recent, '=') >= 4) return 'frequent';
  return undefined;
}

const appendMark = (recent: string, what: '=' | 'm' | 'x'): string => `${recent}${what}`.slice(-MAX_RECENT);

const count = (text: string, mark: string): number => text.split(mark).length - 1;
