import type { ChangedBlock } from './changed-blocks.ts';
import {
  afterChange,
  afterNoChange,
  changesByItself,
  isEdit,
  provenByRecaptures,
  type SelfChange,
} from './self-change.ts';

/** Change history of one place on pages of one template. Stored as a row; bounded size. */
export interface AnchorState {
  readonly anchor: string;
  readonly template: string;
  /** Comparisons that included it, and those in which it changed; the comparison of recaptures is one. */
  readonly comparisons: number;
  readonly changed: number;
  /** Time of the first comparison in which it changed, ISO 8601. */
  readonly changedSince: string;
  /** Hashes of its last texts, oldest first. */
  readonly history: readonly string[];
  /** Evidence of single blocks, by `ChangedBlock` key. */
  readonly blocks: Readonly<Record<string, SelfChange>>;
  /** Evidence of the place on every page of its template. */
  readonly whole?: SelfChange;
  /** Number of comparisons since its last change. */
  readonly stable: number;
  readonly lastChangedRun: string;
}

/** The changes of a place in one comparison of two runs, over all pages of its template. */
export interface AnchorChange {
  readonly runId: string;
  /** Time of the later run, ISO 8601. */
  readonly at: string;
  /** Hashes of its texts before and after; a bounded sample. */
  readonly texts: readonly string[];
  /** The changed blocks; a bounded sample. */
  readonly blocks: readonly ChangedBlock[];
  /** It changed on most pages, and its blocks need not be distinguished. */
  readonly isWide: boolean;
}

const MAX_HISTORY = 8;
/** Number of comparisons without a change after which a place is removed. */
export const STABLE_AFTER = 5;
/** Blocks of one place with evidence. */
export const MAX_BLOCKS = 1_000;

/** Returns the state of a new place. @param at time of its first change, ISO 8601 */
export function newAnchor(anchor: string, template: string, at: string): AnchorState {
  return {
    anchor,
    template,
    comparisons: 0,
    changed: 0,
    changedSince: at,
    history: [],
    blocks: {},
    stable: 0,
    lastChangedRun: '',
  };
}

/** Whether the place or one of its blocks changes by itself. */
export const isVolatilePlace = ({ whole, blocks }: AnchorState): boolean =>
  changesByItself(whole) || Object.values(blocks).some(changesByItself);

/** Returns the state after a comparison of runs in which the place changed. */
export function afterAnchorChange(state: AnchorState, change: AnchorChange): AnchorState {
  const { whole: earlier, ...rest } = state;
  const whole = wholeAfter(state, change);
  return {
    ...rest,
    comparisons: state.comparisons + 1,
    changed: state.changed + 1,
    history: [...new Set([...state.history, ...change.texts].reverse())].slice(0, MAX_HISTORY).reverse(),
    blocks: blocksAfter(state.blocks, change),
    ...(whole === undefined ? {} : { whole }),
    stable: 0,
    lastChangedRun: change.runId,
  };
}

/** The differences of recaptures in one place. */
export interface RecapturedAnchor {
  readonly at: string;
  /** Evidence of the blocks, by their keys in the first captures. */
  readonly blocks: readonly (readonly [key: string, evidence: SelfChange])[];
  /** It changed on most pages, and its blocks need not be distinguished. */
  readonly isWide: boolean;
}

/** Returns the state after recaptures that differ. */
export function afterRecaptures(state: AnchorState, { at, blocks, isWide }: RecapturedAnchor): AnchorState {
  return {
    ...state,
    comparisons: state.comparisons + 1,
    changed: state.changed + 1,
    blocks: Object.fromEntries([...Object.entries(state.blocks), ...blocks].slice(-MAX_BLOCKS)),
    ...(isWide ? { whole: provenByRecaptures(at) } : {}),
    stable: 0,
  };
}

/** Returns the state after a comparison of runs in which the place did not change; undefined: remove it. */
export function afterStable(state: AnchorState): AnchorState | undefined {
  const stable = state.stable + 1;
  if (stable >= STABLE_AFTER) return undefined;
  const { whole: earlier, ...rest } = state;
  const whole = earlier && afterNoChange(earlier);
  return {
    ...rest,
    comparisons: state.comparisons + 1,
    blocks: unchanged(state.blocks, new Set()),
    ...(whole === undefined ? {} : { whole }),
    stable,
  };
}

/**
 * A changed block continues the evidence of its earlier text; a guarded one passes it on as it is. All other blocks did
 * not change.
 */
function blocksAfter(known: AnchorState['blocks'], { blocks, at }: AnchorChange): AnchorState['blocks'] {
  const continued = blocks.flatMap(({ before, after, shows, isGuarded }) => {
    const evidence = isGuarded === true ? known[before] : afterChange(known[before], shows, at);
    return evidence === undefined ? [] : [[after, evidence] as const];
  });
  const kept = unchanged(known, new Set(blocks.map(({ before }) => before)));
  return Object.fromEntries([...Object.entries(kept), ...continued].slice(-MAX_BLOCKS));
}

const unchanged = (known: AnchorState['blocks'], changed: ReadonlySet<string>): AnchorState['blocks'] =>
  Object.fromEntries(
    Object.entries(known).flatMap(([key, evidence]) => {
      const next = changed.has(key) ? undefined : afterNoChange(evidence);
      return next === undefined ? [] : [[key, next]];
    }),
  );

/** A change on few pages is none of the place. If all recaptured pages were edited in between, nothing is known of the place. */
function wholeAfter({ whole, blocks: known }: AnchorState, change: AnchorChange): SelfChange | undefined {
  const doubted = change.blocks.filter(({ before }) => known[before]?.editedTo !== undefined);
  const wasEdited = doubted.length > 0 && doubted.every(({ before, shows }) => isEdit(known[before], shows));
  const earlier = whole?.by === 'recaptures' && wasEdited ? undefined : whole;
  if (change.blocks.every(({ isGuarded }) => isGuarded === true)) return earlier;
  if (!change.isWide) return earlier && afterNoChange(earlier);
  return afterChange(earlier, '', change.at);
}
