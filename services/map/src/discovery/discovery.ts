import { AppError } from '@tidemark/errors';
import type { Documents } from '../documents.ts';
import { siteKey } from '../domain/scope.ts';
import {
  CHANGE_SETS,
  CHANGES_A_DOCUMENT,
  type ChangeSet,
  documentsOf,
  type SnapshotDiff,
  type SnapshotLine,
} from '../domain/snapshot.ts';
import type { Row } from '../domain/tree.ts';
import { parseRows } from '../row-document.ts';
import type { JobStore } from '../store/job-store.ts';
import type { SnapshotStore } from '../store/snapshot-store.ts';
import type { DiffDesk } from './diff-desk.ts';
import type { Tree } from './diff-trees.ts';
import { EntryWindow, type EntryWish } from './entry-window.ts';
import { toRow, treeEntries } from './tree-entries.ts';

/** Which snapshot of which site, or project, is meant. */
export interface SnapshotWish {
  readonly workspaceId: string;
  /** Any address of the site. */
  readonly url: string;
  /** Empty: none. */
  readonly projectId: string;
  /** Empty: the newest. */
  readonly snapshotId: string;
}

export interface Discovered {
  readonly tree: StoredTree | undefined;
  readonly diff: SnapshotDiff | undefined;
  /** The first changes of each set. */
  readonly samples: Readonly<Record<ChangeSet, readonly Row[]>>;
  readonly running: string;
  readonly kept: readonly { readonly id: string; readonly takenAt: Date }[];
}

type StoredTree = Tree & { readonly snapshot: Awaited<ReturnType<SnapshotStore['newest']>>[number] };

export interface Entries {
  readonly snapshotId: string;
  readonly rows: readonly Row[];
  /** Of all that match. */
  readonly total: number;
  readonly prefixes: readonly { readonly prefix: string; readonly urls: number }[];
}

interface Deps {
  readonly snapshots: SnapshotStore;
  readonly jobs: JobStore;
  readonly documents: Documents;
  readonly diffs: DiffDesk;
}

const NO_SAMPLES = { added: [], removed: [], updated: [] } as const;

/** Stored trees of sites, and what changed between them. */
export class Discovery {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** A tree, and what has changed since the one before it. */
  async read(wish: SnapshotWish): Promise<Discovered> {
    const line = lineOf(wish);
    const { snapshots, diffs } = this.#deps;
    const [[tree, before], running, kept] = await Promise.all([
      this.#trees(wish),
      snapshots.running(line),
      snapshots.kept(line),
    ]);
    const diff = tree === undefined ? undefined : await diffs.of(before, tree);
    const samples = diff === undefined ? NO_SAMPLES : await this.#samples(diff);
    return { tree, diff, samples, running, kept };
  }

  async #trees(wish: SnapshotWish): Promise<StoredTree[]> {
    const found = await this.#deps.snapshots.newest(lineOf(wish), wish.snapshotId);
    if (wish.snapshotId !== '' && found[0]?.id !== wish.snapshotId) return [];
    return Promise.all(
      found.map(async (snapshot) => ({
        snapshot,
        files: await this.#deps.jobs.files(snapshot.workspaceId, snapshot.id),
      })),
    );
  }

  async #samples(diff: SnapshotDiff): Promise<Discovered['samples']> {
    const first = async (set: ChangeSet): Promise<Row[]> => {
      const [name] = documentsOf(diff, set);
      return name === undefined ? [] : parseRows(await this.#deps.documents.get(name));
    };
    return { added: await first('added'), removed: await first('removed'), updated: await first('updated') };
  }

  /** Addresses a stored tree declares, or one file of it: each once, in the order of the tree and of the alphabet. @throws AppError not_found */
  async declared(wish: SnapshotWish, file: string, wanted: EntryWish): Promise<Entries> {
    const [tree] = await this.#trees(wish);
    const files = tree?.files.filter(({ url }) => file === '' || url === file) ?? [];
    if (tree === undefined || (file !== '' && files.length === 0))
      throw new AppError('not_found', 'there is no such file in the tree, or no such tree');
    const window = new EntryWindow(wanted, files.length > 1);
    for await (const some of treeEntries(this.#deps.documents, files))
      for (const entry of some.entries) window.take(entry.url, () => toRow(entry, some.file));
    return { snapshotId: tree.snapshot.id, ...window.result() };
  }

  /** Addresses that came, went or were dated anew since the tree before. @throws AppError not_found */
  async changed(wish: SnapshotWish, set: ChangeSet, wanted: EntryWish): Promise<Entries> {
    const [tree, before] = await this.#trees(wish);
    if (tree === undefined) throw new AppError('not_found', 'there is no such tree');
    const snapshotId = tree.snapshot.id;
    const diff = await this.#deps.diffs.of(before, tree);
    if (diff === undefined) return { snapshotId, rows: [], total: 0, prefixes: [] };
    const names = documentsOf(diff, set);
    const isAll = wanted.prefix === '' && wanted.q === '';
    // Whole pages of whole sets are where they must be: only their documents are opened.
    const skipped = isAll ? Math.min(Math.floor(wanted.after / CHANGES_A_DOCUMENT), names.length) : 0;
    const window = new EntryWindow({ ...wanted, after: wanted.after - skipped * CHANGES_A_DOCUMENT }, false);
    for (const name of names.slice(skipped)) {
      for (const row of parseRows(await this.#deps.documents.get(name))) window.take(row.url, () => row);
      if (isAll && window.isFull) break;
    }
    const { rows, total } = window.result();
    return { snapshotId, rows, total: isAll ? diff[set] : total, prefixes: [] };
  }
}

const lineOf = ({ workspaceId, projectId, url }: SnapshotWish): SnapshotLine => ({
  workspaceId,
  projectId,
  site: siteKey(new URL(url)),
});

export const isChangeSet = (name: string): name is ChangeSet => CHANGE_SETS.some((known) => known === name);
