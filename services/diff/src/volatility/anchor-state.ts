/** Why a place is taken to change by itself. */
export type VolatileRule =
  /** It differed between two fetches of one page, moments apart. */
  | 'double_fetch'
  /** Its dates and counters changed again and again, and nothing else. */
  | 'same_mask'
  /** It keeps coming back to what it said before. */
  | 'flapping'
  /** It changes at nearly every visit, outside the main part. */
  | 'restless';

/** What is remembered of one place on pages of one template. A row of the store; bounded. */
export interface AnchorState {
  readonly anchor: string;
  readonly template: string;
  /** Comparisons in which it stood, and those in which it changed. */
  readonly seen: number;
  readonly changed: number;
  /** The last comparisons, oldest first: `=` stable, `m` changed within its mask, `x` changed otherwise. */
  readonly recent: string;
  /** What it said last, oldest first. */
  readonly history: readonly string[];
  /** How often it came back to something in the ring. */
  readonly returns: number;
  /** Comparisons in which nothing else of its page changed. */
  readonly soloChanges: number;
  /** Comparisons since its last change. */
  readonly stable: number;
  readonly lastChangedRun: string;
  readonly volatileBy?: VolatileRule;
  /** Its owner wants to hear of it whatever it does. */
  readonly isPinned?: true;
}

/** What one comparison of two runs found at a place, over all pages of its template. */
export interface AnchorChange {
  readonly runId: string;
  /** What it said before and says now, on the pages where it changed; a few are enough. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** On every page nothing but dates and counters changed. */
  readonly isWithinMask: boolean;
  /** On some page nothing else changed. */
  readonly isSolo: boolean;
  readonly isMain: boolean;
}

const MAX_RECENT = 5;
const MAX_HISTORY = 8;
/** Comparisons without a change after which a place is no longer volatile, or no longer remembered. */
export const STABLE_AFTER = 5;

/** A place that is met for the first time. */
export function newAnchor(anchor: string, template: string): AnchorState {
  return {
    anchor,
    template,
    seen: 0,
    changed: 0,
    recent: '',
    history: [],
    returns: 0,
    soloChanges: 0,
    stable: 0,
    lastChangedRun: '',
  };
}

/** The place after a comparison in which it changed. */
export function afterChange(state: AnchorState, change: AnchorChange): AnchorState {
  const isReturn = change.after.some((hash) => state.history.includes(hash));
  const next: AnchorState = {
    ...state,
    seen: state.seen + 1,
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

/** The place after a comparison in which it did not change; undefined: there is nothing left to remember. */
export function afterStable(state: AnchorState): AnchorState | undefined {
  const stable = state.stable + 1;
  const { volatileBy, ...rest } = state;
  const next = { ...rest, seen: state.seen + 1, recent: appendMark(state.recent, '='), stable };
  if (stable >= STABLE_AFTER) return state.isPinned === true ? next : undefined;
  return volatileBy === undefined ? next : { ...next, volatileBy };
}

/** The place after two fetches of one page, moments apart, in which it differed. */
export function afterRecapture(state: AnchorState): AnchorState {
  return state.isPinned === true ? state : { ...state, stable: 0, volatileBy: state.volatileBy ?? 'double_fetch' };
}

function withoutVolatility({ volatileBy: _, ...state }: AnchorState): AnchorState {
  return state;
}

function ruleFor(state: AnchorState, { isMain }: AnchorChange, isReturn: boolean): VolatileRule | undefined {
  const last4 = state.recent.slice(-4);
  if (isReturn && state.returns >= 2) return 'flapping';
  if (count(last4, 'm') >= 3 && !last4.includes('x')) return 'same_mask';
  if (!isMain && state.recent.length - count(state.recent, '=') >= 4) return 'restless';
  return undefined;
}

const appendMark = (recent: string, what: '=' | 'm' | 'x'): string => `${recent}${what}`.slice(-MAX_RECENT);

const count = (text: string, mark: string): number => text.split(mark).length - 1;
