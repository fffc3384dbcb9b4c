/** Pages of a folder that pass in a row before it is asked faster again. */
const PASSED_FOR_FASTER = 10;
const GAP_FIRST_MS = 250;
/** Maximum number of remembered folders; the oldest is evicted. */
const FOLDERS_MAX = 1_000;

interface Folder {
  gapMs: number;
  passed: number;
}

/**
 * Folders of sites that have sent pages back to wait. Their pages are asked for one at a time from then on, and ever further apart
 * where they are sent back again: a site often limits one part of itself, and a limit is found best by what is let through.
 */
export class SlowFolders {
  readonly #folders = new Map<string, Folder>();

  /** The name under which pages of the folder take turns, and the milliseconds between two; undefined where it isn't slow. */
  find(url: string): { readonly name: string; readonly gapMs: number } | undefined {
    const name = folderOf(url);
    const folder = this.#folders.get(name);
    return folder === undefined ? undefined : { name, gapMs: folder.gapMs };
  }

  /** A page was sent back for so long, `inTurn` where it had taken a turn of its folder. */
  sentBack(url: string, seconds: number, inTurn: boolean): void {
    const name = folderOf(url);
    const { gapMs } = this.#folders.get(name) ?? { gapMs: 0 };
    const slower = inTurn ? Math.min(seconds * 1000, Math.max(GAP_FIRST_MS, gapMs * 2)) : gapMs;
    this.#folders.delete(name);
    this.#folders.set(name, { gapMs: slower, passed: 0 });
    const [oldest] = this.#folders.keys();
    if (this.#folders.size > FOLDERS_MAX && oldest !== undefined) this.#folders.delete(oldest);
  }

  /** A page that had taken a turn of its folder came through. */
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
