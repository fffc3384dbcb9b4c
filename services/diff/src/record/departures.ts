import { comparePage } from './compare-page.ts';
import { blockEntry, type EntryContent } from './entry.ts';
import type { Hearing, PageFinding } from './examine-page.ts';
import { findMoves, type Sketched } from './find-moves.ts';
import { mapInOrder } from './merge-pages.ts';
import type { PageReading } from './page-reading.ts';
import type { PageAlias } from './ports.ts';
import { sketchPage } from './sketch-text.ts';
import { ofChanges } from './tell-page.ts';

/** Pages that left and pages that came, each, among which moves are looked for; what is beyond is told as it is. */
export const MAX_MOVABLE = 5_000;
const OPENED_AT_ONCE = 4;

/** A page that left one address and came under another. */
interface Moved {
  readonly from: PageFinding;
  readonly to: PageFinding;
  readonly reason: PageAlias['reason'];
}

/** Pages that left or came, held until it is known which of them only moved. */
export class Departures {
  readonly #left: PageFinding[] = [];
  readonly #served: PageFinding[] = [];
  readonly #came = new Map<string, PageFinding>();

  /** Keeps the finding; false: there is no more room, and it is told as it is. */
  hold(finding: PageFinding): boolean {
    const { outcome } = finding.judgement;
    if (finding.servedAs !== undefined) return push(this.#served, finding);
    if (outcome === 'removed') return push(this.#left, finding);
    if (this.#came.size >= MAX_MOVABLE) return false;
    this.#came.set(finding.pageKey, finding);
    return true;
  }

  /** Sorts out who moved. Everything held is in exactly one of the answers; `still` is served under the key of another known page. */
  async resolve(hearing: Hearing): Promise<{
    readonly moved: readonly Moved[];
    readonly still: readonly PageFinding[];
    readonly told: readonly PageFinding[];
  }> {
    const moved: Moved[] = [];
    const still: PageFinding[] = [];
    for (const from of this.#served) {
      const to = this.#came.get(from.servedAs?.pageKey ?? '');
      if (to === undefined) still.push(from);
      else {
        this.#came.delete(to.pageKey);
        moved.push({ from, to, reason: 'redirect' });
      }
    }
    moved.push(...(await this.#alike(hearing)));
    const gone = new Set(moved.map(({ from }) => from));
    for (const { to } of moved) this.#came.delete(to.pageKey);
    return { moved, still, told: [...this.#left.filter((page) => !gone.has(page)), ...this.#came.values()] };
  }

  async #alike(hearing: Hearing): Promise<Moved[]> {
    const left = new Map(this.#left.map((page) => [page.pageKey, page]));
    const came = [...this.#came.values()].filter(isNew);
    if (left.size === 0 || came.length === 0) return [];
    const removed = await sketchAll(hearing, [...left.values()], (page) => page.known?.good);
    const added = await sketchAll(hearing, came, (page) => page.reading);
    return findMoves(removed, added).flatMap(({ from, to }): Moved[] => {
      const [a, b] = [left.get(from), this.#came.get(to)];
      return a === undefined || b === undefined ? [] : [{ from: a, to: b, reason: 'moved' }];
    });
  }
}

/** A move as an entry tells it: the page with a new address, and what else of it changed. */
export async function tellMove(hearing: Hearing, { from, to }: Moved): Promise<EntryContent> {
  const [before, now] = [from.known?.good, to.reading];
  const url = { name: 'url', from: from.known?.url ?? from.pageKey, to: now?.url ?? to.pageKey };
  const place = { pageKey: to.pageKey, url: url.to, kind: 'modified', movedFrom: url.from } as const;
  const verdicts = [from.verdicts[0], to.verdicts[1]] as const;
  const comparison = before && now && (await comparePage(hearing, before, now));
  if (comparison?.result !== 'differs') return { ...place, verdicts, fields: [url] };
  const { delta } = comparison;
  return {
    ...place,
    ...ofChanges(delta.blocks.filter((change) => change.isVolatile !== true)),
    verdicts,
    blocks: delta.blocks.map((change) => blockEntry(change, change.isVolatile === true)),
    fields: [url, ...delta.fields],
    degraded: delta.isDegraded,
  };
}

const isNew = ({ judgement }: PageFinding): boolean => judgement.outcome === 'added' && !judgement.isReturned;

function push(list: PageFinding[], finding: PageFinding): boolean {
  if (list.length >= MAX_MOVABLE) return false;
  list.push(finding);
  return true;
}

async function sketchAll(
  { ports }: Hearing,
  pages: readonly PageFinding[],
  readingOf: (page: PageFinding) => PageReading | undefined,
): Promise<Sketched[]> {
  const sketched: Sketched[] = [];
  const sketches = mapInOrder(inTurn(pages), OPENED_AT_ONCE, async (page) => {
    const reading = readingOf(page);
    const content = reading && (await ports.open(reading));
    return { pageKey: page.pageKey, sketch: content && sketchPage(content.blocks) };
  });
  for await (const { pageKey, sketch } of sketches) if (sketch !== undefined) sketched.push({ pageKey, sketch });
  return sketched;
}

async function* inTurn<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items;
}
