import { LRUCache } from 'lru-cache';

/** Number of successful pages in a row after which a folder's gap is reduced. */
const PASSED_FOR_FASTER = 10;
const GAP_FIRST_MS = 250;
/** Maximum number of remembered folders; the one that was not used for the longest time is evicted. */
const FOLDERS_MAX = 1_000;

interface Folder {
  gapMs: number;
  passed: number;
}

/**
 * Folders whose pages were answered with a requested wait. Their pages are fetched one at a time, with a gap that grows
 * with each further request to wait: sites often rate-limit one part of themselves.
 */
export class SlowFolders {
  readonly #folders = new LRUCache<string, Folder>({ max: FOLDERS_MAX });

  /** Returns the permit name of the page's folder and its gap, ms; undefined if the folder is not slow. */
  find(url: string): { readonly name: string; readonly gapMs: number } | undefined {
    const name = folderOf(url);
    const folder = this.#folders.get(name);
    return folder === undefined ? undefined : { name, gapMs: folder.gapMs };
  }

  /** Records a requested wait, seconds; `inTurn` if the page held a permit of its folder. */
  sentBack(url: string, seconds: number, inTurn: boolean): void {
    const name = folderOf(url);
    const { gapMs } = this.#folders.get(name) ?? { gapMs: 0 };
    const slower = inTurn ? Math.min(seconds * 1000, Math.max(GAP_FIRST_MS, gapMs * 2)) : gapMs;
    this.#folders.set(name, { gapMs: slower, passed: 0 });
  }

  /** Records a success of a page that held a permit of its folder. */
  passed(url: string): void {
    const name = folderOf(url);
    const folder = this.#folders.get(name);
    if (folder === undefined) return;
    folder.passed += 1;
    if (folder.passed < PASSED_FOR_FASTER) return;
    folder.passed = 0;
    if (folder.gapMs === 0) this.#folders.delete(name);
    else folder.gapMs = folder.gapMs > GAP_FIRST_MS ? folder.gapMs / 2 : 0;
  }
}

function folderOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname.slice(0, pathname.lastIndexOf('/') + 1)}`;
}
