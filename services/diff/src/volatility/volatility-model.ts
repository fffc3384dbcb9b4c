import type { BlockChange, FieldChange, PageDelta } from '../domain/page-delta.ts';
import {
  type AnchorChange,
  type AnchorState,
  afterChange,
  afterRecapture,
  afterStable,
  hasChangedEveryTime,
  newAnchor,
} from './anchor-state.ts';
import {
  anchorOf,
  anchorOfField,
  hasMask,
  isContentChange,
  isMain,
  isNeverVolatile,
  isVolatileList,
  keepsMask,
} from './block-traits.ts';
import { chainsOf, hashText, isAlone, pageChain } from './changed-blocks.ts';
import { type Template, TemplateRegistry } from './templates.ts';

/** Volatility learned for a project. */
export interface LearnedVolatility {
  readonly anchors: readonly AnchorState[];
  readonly templates: readonly Template[];
}

/** Rows to write and to delete after a comparison. */
export interface VolatilityChanges {
  readonly anchors: readonly AnchorState[];
  readonly removed: readonly string[];
  readonly templates: readonly Template[];
}

/** Anchors stored per project; above the limit those without a change for longest are evicted. */
export const MAX_ANCHORS = 5_000;
/** Texts stored per anchor and comparison. */
const MAX_HASHES = 4;
/** Changed blocks stored per anchor and comparison. */
const MAX_CHAINS = 200;

interface Observation {
  template: string;
  before: string[];
  after: string[];
  isWithinMask: boolean;
  isSolo: boolean;
  isMain: boolean;
  isAlone: boolean;
  chains: (readonly [before: string, after: string])[];
  isList?: true;
}

/**
 * Learns which blocks of a project change on every visit, from one comparison of runs after the other. Pages must be
 * observed in key order; `finishComparison` ends the comparison.
 */
export class VolatilityModel {
  readonly templates: TemplateRegistry;
  readonly #anchors: Map<string, AnchorState>;
  /** Anchors that are volatile before or after this comparison. */
  readonly #volatile: Set<string>;
  /** Anchors with the hashes of their blocks that change every time. */
  readonly #everyTime = new Set<string>();
  readonly #observed = new Map<string, Observation>();
  readonly #before: ReadonlyMap<string, AnchorState>;

  constructor(learned: LearnedVolatility) {
    this.templates = new TemplateRegistry(learned.templates);
    this.#anchors = new Map(learned.anchors.map((state) => [state.anchor, state]));
    this.#before = new Map(this.#anchors);
    this.#volatile = new Set(
      learned.anchors.filter((state) => state.volatileBy !== undefined).map(({ anchor }) => anchor),
    );
  }

  /** Marks the blocks of an anchor that changed in each of the last comparisons, in their earlier and in their later form. */
  #markEveryTime(state: AnchorState, chains: AnchorChange['chains']): void {
    if (state.isPinned === true) return;
    for (const [before, after] of chains)
      if (hasChangedEveryTime(state, after)) {
        this.#everyTime.add(`${state.anchor} ${before}`);
        this.#everyTime.add(`${state.anchor} ${after}`);
      }
  }

  /** Observes the differences of a page of `template` between two runs. */
  observe(template: string, { blocks, fields }: PageDelta, pageKey: string): void {
    for (const field of fields) if (isVolatileList(field)) this.#observeList(template, field, pageKey);
    const learnable = blocks.filter((change) => change.op !== 'moved' && !isNeverVolatile(change));
    const anchors = new Set(blocks.map((change) => anchorOf(template, change)));
    const anchorsOf = (op: string) =>
      new Set(blocks.filter((each) => each.op === op).map((each) => anchorOf(template, each)));
    // A short text is reported as removed and added; with one anchor both have one mask.
    const [added, removed] = [anchorsOf('added'), anchorsOf('removed')];
    for (const change of learnable) {
      const anchor = anchorOf(template, change);
      const known = this.#observed.get(anchor);
      // At the limit only known anchors are observed.
      if (known === undefined && this.#observed.size >= MAX_ANCHORS && !this.#anchors.has(anchor)) continue;
      const isWithinMask = keepsMask(change) || (hasMask(change) && added.has(anchor) && removed.has(anchor));
      const isSolo = anchors.size === 1 && fields.length === 0;
      this.#observed.set(anchor, combine(known, change, { template, isWithinMask, isSolo }));
    }
    for (const [anchor, chain] of chainsOf(template, learnable)) {
      const chains = this.#observed.get(anchor)?.chains;
      if (chains !== undefined && chains.length < MAX_CHAINS) chains.push(chain);
    }
  }

  /** Observes a difference between a capture and its recapture; the blocks are volatile immediately. */
  observeRecapture(template: string, { blocks, fields }: PageDelta): void {
    for (const field of fields) {
      if (!isVolatileList(field)) continue;
      const anchor = anchorOfField(template, field);
      this.#setAnchor(afterRecapture(this.#anchors.get(anchor) ?? newAnchor(anchor, template), undefined, true));
    }
    for (const change of blocks) {
      if (change.op === 'moved' || isNeverVolatile(change)) continue;
      const anchor = anchorOf(template, change);
      const known = this.#anchors.get(anchor) ?? newAnchor(anchor, template);
      this.#setAnchor(afterRecapture(known, change.before && hashText(change.before.hash), isAlone(change)));
    }
  }

  /**
   * Ends a comparison of runs. `wasCompared` returns whether pages of a folder were compared: anchors there without a
   * change were stable.
   */
  finishComparison(runId: string, wasCompared: (folder: string) => boolean): VolatilityChanges {
    for (const [anchor, { template, ...known }] of this.#observed) {
      const change: AnchorChange = { ...known, runId };
      const state = afterChange(this.#anchors.get(anchor) ?? newAnchor(anchor, template), change);
      this.#setAnchor(state);
      this.#markEveryTime(state, known.chains);
    }
    for (const [anchor, state] of this.#before) {
      if (this.#observed.has(anchor) || !wasCompared(folderOfTemplate(state.template))) continue;
      const next = afterStable(state);
      if (next === undefined) this.#anchors.delete(anchor);
      else this.#anchors.set(anchor, next);
    }
    this.#observed.clear();
    return this.changes();
  }

  /** Returns the differences from the state at construction. */
  changes(): VolatilityChanges {
    this.#evict();
    return {
      anchors: [...this.#anchors.values()].filter((state) => this.#before.get(state.anchor) !== state),
      removed: [...this.#before.keys()].filter((anchor) => !this.#anchors.has(anchor)),
      templates: this.templates.added,
    };
  }

  /** Whether the change is at a volatile anchor. */
  isVolatile(template: string, change: BlockChange): boolean {
    if (change.op === 'moved' || isNeverVolatile(change)) return false;
    const anchor = anchorOf(template, change);
    const isCovered = (): boolean =>
      isAlone(change) ||
      !isContentChange(change) ||
      keepsMask(change) ||
      wasSeen(this.#before.get(anchor)?.history, change);
    if (this.#volatile.has(anchor) && isCovered()) return true;
    const hash = hashText((change.after ?? change.before)?.hash);
    const state = this.#anchors.get(anchor);
    return (
      this.#everyTime.has(`${anchor} ${hash}`) ||
      (state !== undefined && state.isPinned !== true && hasChangedEveryTime(state, hash))
    );
  }

  /** Whether the field is a list of the head that is volatile. */
  isVolatileField(template: string, field: FieldChange): boolean {
    return this.#volatile.size > 0 && isVolatileList(field) && this.#volatile.has(anchorOfField(template, field));
  }

  #observeList(template: string, field: FieldChange, pageKey: string): void {
    const anchor = anchorOfField(template, field);
    const known = this.#observed.get(anchor);
    if (known === undefined && this.#observed.size >= MAX_ANCHORS && !this.#anchors.has(anchor)) return;
    const page = Buffer.from(pageKey);
    this.#observed.set(anchor, {
      template,
      before: appendHash(known?.before ?? [], page),
      after: appendHash(known?.after ?? [], page),
      isWithinMask: false,
      isSolo: false,
      isMain: true,
      isAlone: true,
      chains: [
        ...(known?.chains ?? []),
        ...(known === undefined || known.chains.length < MAX_CHAINS ? [pageChain(page)] : []),
      ],
      isList: true,
    });
  }

  #setAnchor(state: AnchorState): void {
    this.#anchors.set(state.anchor, state);
    if (state.volatileBy !== undefined) this.#volatile.add(state.anchor);
  }

  #evict(): void {
    if (this.#anchors.size <= MAX_ANCHORS) return;
    const byAge = [...this.#anchors.values()].filter((state) => state.isPinned !== true).sort(evictionOrder);
    for (const { anchor } of byAge.slice(0, this.#anchors.size - MAX_ANCHORS)) this.#anchors.delete(anchor);
  }
}

/** Sorts anchors by eviction order: not volatile first, then the longest stable. */
function evictionOrder(a: AnchorState, b: AnchorState): number {
  const rank = (state: AnchorState): number => (state.volatileBy === undefined ? 0 : 1);
  return rank(a) - rank(b) || b.stable - a.stable || (a.anchor < b.anchor ? -1 : 1);
}

function combine(
  known: Observation | undefined,
  change: BlockChange,
  { template, isWithinMask, isSolo }: Pick<Observation, 'template' | 'isWithinMask' | 'isSolo'>,
): Observation {
  const block = change.after ?? change.before;
  return {
    template,
    before: appendHash(known?.before ?? [], change.before?.hash),
    after: appendHash(known?.after ?? [], change.after?.hash),
    isWithinMask: isWithinMask && (known?.isWithinMask ?? true),
    isSolo: isSolo || (known?.isSolo ?? false),
    chains: known?.chains ?? [],
    isAlone: isAlone(change) && (known?.isAlone ?? true),
    isMain: (block !== undefined && isMain(block)) || (known?.isMain ?? false),
  };
}

/** Whether the anchor had this text before. */
const wasSeen = (history: readonly string[] = [], { after }: BlockChange): boolean =>
  after !== undefined && history.includes(hashText(after.hash));

function appendHash(sofar: string[], hash: Uint8Array | undefined): string[] {
  if (hash === undefined || sofar.length >= MAX_HASHES) return sofar;
  const text = hashText(hash);
  return sofar.includes(text) ? sofar : [...sofar, text];
}

/** Template ids have the form `<folder> <number>`. */
const folderOfTemplate = (template: string): string => template.slice(0, template.lastIndexOf(' '));
