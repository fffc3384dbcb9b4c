import type { BlockChange, FieldChange, PageDelta } from '../domain/page-delta.ts';
import {
  type AnchorState,
  afterAnchorChange,
  afterRecaptures,
  afterStable,
  isVolatilePlace,
  MAX_BLOCKS,
  newAnchor,
} from './anchor-state.ts';
import { anchorOf, anchorOfField, isContentChange, isVolatileList, keepsMask } from './block-traits.ts';
import { type ChangedBlock, changedBlocks, changedField, hashText, isAlone } from './changed-blocks.ts';
import { type IgnoredReason, knownReason, type Overrides } from './ignored-reason.ts';
import { isLearnable, type PageOfTemplate, type PlaceChange, placeChanges } from './place-changes.ts';
import { changesByItself, isWide, type SelfChange } from './self-change.ts';
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

/** A later run that was compared. */
export interface ComparedRun {
  readonly id: string;
  /** Time of its end, ISO 8601. */
  readonly finishedAt: string;
}

/** What the recaptures of all sample pages prove of a place. */
export interface RecapturedPlace {
  readonly anchor: string;
  readonly template: string;
  /** Evidence of its blocks, by their keys in the first captures. */
  readonly blocks: readonly (readonly [key: string, evidence: SelfChange])[];
  /** It changes by itself on most pages of the template. */
  readonly isWide: boolean;
}

/** Why a change is ignored, and what is known of its place. */
export interface Ignored {
  readonly reason: IgnoredReason;
  /** Identifies the place in the configuration. */
  readonly place: string;
  /** Time of the proof, or of the first change of the place, ISO 8601; empty: unknown. */
  readonly since: string;
  /** Comparisons that included the place, and those in which it changed. */
  readonly comparisons: number;
  readonly changed: number;
}

/** Places stored per project; above the limit those without a change for longest are evicted. */
export const MAX_ANCHORS = 5_000;
/** Texts stored per place and comparison. */
const MAX_TEXTS = 8;
/** Changed blocks stored per project and comparison. */
const MAX_CHANGED_BLOCKS = 50_000;

/** What a comparison of runs shows of one place. */
interface Observation {
  readonly template: string;
  readonly texts: Set<string>;
  readonly blocks: ChangedBlock[];
  /** Number of pages on which it changed. */
  pages: number;
  isOfPlace: boolean;
}

/**
 * Learns which blocks of a project change by themselves, and decides which changes are ignored. Pages must be observed
 * in key order; `finishComparison` ends the comparison of two runs.
 */
export class VolatilityModel {
  readonly templates: TemplateRegistry;
  readonly #overrides: Overrides;
  readonly #anchors: Map<string, AnchorState>;
  readonly #before: ReadonlyMap<string, AnchorState>;
  readonly #observed = new Map<string, Observation>();
  /** Evidence of the blocks that the last comparison proved, by anchor and earlier or later key. */
  readonly #proven = new Map<string, SelfChange>();
  #changedBlocks = 0;
  #finishedAt = '';

  constructor(learned: LearnedVolatility, overrides: Overrides = new Map()) {
    this.templates = new TemplateRegistry(learned.templates);
    this.#overrides = overrides;
    this.#anchors = new Map(learned.anchors.map((state) => [state.anchor, state]));
    this.#before = new Map(this.#anchors);
  }

  /** Returns the differences without the marks of blocks whose changes the configuration requires to report. */
  withoutOverruled(template: string, delta: PageDelta): PageDelta {
    if (this.#overrides.size === 0) return delta;
    const blocks = delta.blocks.map((change) => {
      if (change.isVolatile !== true || this.#overrides.get(anchorOf(template, change)) !== 'report') return change;
      const { isVolatile: _, ...reported } = change;
      return reported;
    });
    return { ...delta, blocks };
  }

  /** Observes the differences of a page between two runs. */
  observe(page: PageOfTemplate, delta: PageDelta): void {
    for (const change of placeChanges(page, delta)) {
      // A guarded change is no evidence: it matters only where there is some.
      if (change.blocks.length === 0 && !this.#anchors.has(change.anchor)) continue;
      const observation = this.#observationOf(change.anchor, page.template);
      if (observation !== undefined) this.#addChange(observation, change);
    }
  }

  #addChange(observation: Observation, { blocks, guarded, texts, isOfPlace }: PlaceChange): void {
    for (const block of guarded) this.#addBlock(observation, block);
    if (blocks.length === 0) return;
    observation.pages += 1;
    observation.isOfPlace &&= isOfPlace;
    for (const text of texts) if (observation.texts.size < MAX_TEXTS) observation.texts.add(text);
    for (const block of blocks) this.#addBlock(observation, block);
  }

  /** Learns what recaptures prove. @param at their time, ISO 8601 */
  learnRecaptured(places: readonly RecapturedPlace[], at: string): VolatilityChanges {
    for (const { anchor, template, blocks, isWide: isOfMostPages } of places) {
      const known = this.#anchors.get(anchor) ?? newAnchor(anchor, template, at);
      this.#anchors.set(anchor, afterRecaptures(known, { at, blocks, isWide: isOfMostPages }));
    }
    return this.changes();
  }

  /**
   * Ends a comparison of runs. `pagesIn` returns the number of pages read in a folder: places there without a change
   * did not change.
   */
  finishComparison(run: ComparedRun, pagesIn: (folder: string) => number): VolatilityChanges {
    this.#finishedAt = run.finishedAt;
    for (const [anchor, { template, texts, blocks, pages, isOfPlace }] of this.#observed) {
      const state = afterAnchorChange(this.#anchors.get(anchor) ?? newAnchor(anchor, template, run.finishedAt), {
        runId: run.id,
        at: run.finishedAt,
        texts: [...texts],
        blocks,
        isWide: isOfPlace && isWide(pages, pagesIn(folderOfTemplate(template))),
      });
      this.#anchors.set(anchor, state);
      this.#noteProven(state, blocks);
    }
    for (const [anchor, state] of this.#before) {
      if (this.#observed.has(anchor) || pagesIn(folderOfTemplate(state.template)) === 0) continue;
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

  /** Returns why a change of a block is ignored; undefined: it is a change of the page. */
  ignored(page: PageOfTemplate, change: BlockChange): Ignored | undefined {
    const place = anchorOf(page.template, change);
    const override = this.#overrides.get(place);
    if (override === 'report') return undefined;
    const known = knownReason(change);
    if (known !== undefined) return this.#ignoredAt(place, known);
    if (!isLearnable(change)) return undefined;
    const isCovered = this.#isCovered(place, change);
    if (override === 'ignore' && isCovered) return this.#ignoredAt(place, 'overruled');
    const [, block] = changedBlocks(page, [change])[0] ?? [];
    return this.#learnedAt(place, block, isCovered);
  }

  /** Returns why a change of the head is ignored: only lists may be volatile. */
  ignoredField({ template, pageKey }: PageOfTemplate, field: FieldChange): Ignored | undefined {
    if (!isVolatileList(field)) return undefined;
    const place = anchorOfField(template, field);
    const override = this.#overrides.get(place);
    if (override === 'report') return undefined;
    if (override === 'ignore') return this.#ignoredAt(place, 'overruled');
    return this.#learnedAt(place, changedField(pageKey, field), true);
  }

  /** @param isCovered whether evidence of the whole place applies to the change */
  #learnedAt(place: string, block: ChangedBlock | undefined, isCovered: boolean): Ignored | undefined {
    const state = this.#anchors.get(place);
    const ofBlock =
      this.#proven.get(`${place} ${block?.after}`) ??
      this.#proven.get(`${place} ${block?.before}`) ??
      state?.blocks[block?.after ?? ''];
    const evidence = changesByItself(ofBlock) || !isCovered ? ofBlock : state?.whole;
    if (!changesByItself(evidence)) return undefined;
    const reason = evidence.by === 'recaptures' ? 'recaptures_differ' : 'changed_in_three_comparisons';
    return this.#ignoredAt(place, reason, evidence.since);
  }

  /**
   * Whether what is known of a place covers the change. In the main part, where other blocks share the place, it covers
   * only dates and counters, and texts that were there before.
   */
  #isCovered(place: string, change: BlockChange): boolean {
    return isAlone(change) || !isContentChange(change) || keepsMask(change) || wasSeen(this.#before.get(place), change);
  }

  #ignoredAt(place: string, reason: IgnoredReason, since?: string): Ignored {
    const { changedSince = this.#finishedAt, comparisons = 1, changed = 1 } = this.#anchors.get(place) ?? {};
    return { reason, place, since: since ?? changedSince, comparisons, changed };
  }

  #observationOf(anchor: string, template: string): Observation | undefined {
    const known = this.#observed.get(anchor);
    if (known !== undefined) return known;
    // At the limit only known places are observed.
    if (this.#observed.size >= MAX_ANCHORS && !this.#anchors.has(anchor)) return undefined;
    const observation = { template, texts: new Set<string>(), blocks: [], pages: 0, isOfPlace: true };
    this.#observed.set(anchor, observation);
    return observation;
  }

  #addBlock({ blocks }: Observation, block: ChangedBlock): void {
    if (blocks.length >= MAX_BLOCKS || this.#changedBlocks >= MAX_CHANGED_BLOCKS) return;
    this.#changedBlocks += 1;
    blocks.push(block);
  }

  /** Notes the blocks that change by themselves, in their earlier and in their later form. */
  #noteProven({ anchor, blocks }: AnchorState, changed: readonly ChangedBlock[]): void {
    for (const { before, after } of changed) {
      const evidence = blocks[after];
      if (!changesByItself(evidence)) continue;
      this.#proven.set(`${anchor} ${before}`, evidence);
      this.#proven.set(`${anchor} ${after}`, evidence);
    }
  }

  #evict(): void {
    if (this.#anchors.size <= MAX_ANCHORS) return;
    const byAge = [...this.#anchors.values()].sort(evictionOrder);
    for (const { anchor } of byAge.slice(0, this.#anchors.size - MAX_ANCHORS)) this.#anchors.delete(anchor);
  }
}

/** Sorts places by eviction order: not volatile first, then the longest stable. */
function evictionOrder(a: AnchorState, b: AnchorState): number {
  return (
    Number(isVolatilePlace(a)) - Number(isVolatilePlace(b)) || b.stable - a.stable || (a.anchor < b.anchor ? -1 : 1)
  );
}

/** Whether the place had this text before. */
const wasSeen = (state: AnchorState | undefined, { after }: BlockChange): boolean =>
  after !== undefined && state?.history.includes(hashText(after.hash)) === true;

/** Template ids have the form `<folder> <number>`. */
const folderOfTemplate = (template: string): string => template.slice(0, template.lastIndexOf(' '));
