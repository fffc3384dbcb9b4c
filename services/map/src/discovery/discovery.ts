import { AppError } from '@tidemark/errors';
import type { DocumentStore } from '../documents/document-store.ts';
import { parseRows } from '../documents/row-document.ts';
import { siteKey } from '../domain/scope.ts';
import {
  CHANGES_PER_DOCUMENT,
  type ChangeSet,
  documentsOf,
  type SnapshotDiff,
  type SnapshotSeries,
} from '../domain/snapshot.ts';
import type { Row } from '../domain/tree.ts';
import type { JobStore } from '../store/job-store.ts';
import type { SnapshotStore } from '../store/snapshot-store.ts';
import type { Tree } from './diff-trees.ts';
import { EntryPage, type EntryQuery } from './entry-page.ts';
import type { SnapshotDiffs } from './snapshot-diffs.ts';
import { toRow, treeEntries } from './tree-entries.ts';

/** Identifies a snapshot of a site or project. */
export interface SnapshotQuery {
  readonly workspaceId: string;
  /** Any URL of the site. */
  readonly url: string;
  /** Empty: none. */
  readonly projectId: string;
  /** Absent: the newest. */
  readonly snapshotId: string | undefined;
}

export interface DiscoveryResult {
  readonly tree: StoredTree | undefined;
  readonly diff: SnapshotDiff | undefined;
  /** The first document of each set of changes. */
  readonly samples: Readonly<Record<ChangeSet, readonly Row[]>>;
  /** Id of a running map of the series; undefined: none. */
  readonly running: string | undefined;
  /** Stored snapshots, newest first. */
  readonly kept: readonly { readonly id: string; readonly takenAt: Date }[];
}

type StoredTree = Tree & { readonly snapshot: Awaited<ReturnType<SnapshotStore['newest']>>[number] };

export interface EntryList {
  readonly snapshotId: string;
  readonly rows: readonly Row[];
  /** Number of all matches, not only of this page. */
  readonly total: number;
  readonly prefixes: readonly { readonly prefix: string; readonly urls: number }[];
}

interface Deps {
  readonly snapshots: SnapshotStore;
  readonly jobs: JobStore;
  readonly documents: DocumentStore;
  readonly diffs: SnapshotDiffs;
}

const NO_SAMPLES = { added: [], removed: [], updated: [] } as const;

/** Reads stored snapshots, their entries and their changes. */
export class Discovery {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Returns a snapshot and its difference from the previous snapshot. Both are undefined if there is no snapshot. */
  async get(query: SnapshotQuery): Promise<DiscoveryResult> {
    const series = toSeries(query);
    const { snapshots, diffs } = this.#deps;
    // In this order: a map that ends in between is found as running, or its snapshot is.
    const running = await snapshots.findRunningMap(series);
    const kept = await snapshots.list(series);
    const [newest] = kept;
    const snapshotId = query.snapshotId ?? newest?.id;
    const [tree, before] = snapshotId === undefined ? [] : await this.#trees({ ...query, snapshotId });
    const diff = tree === undefined ? undefined : await diffs.between(before, tree);
    const samples = diff === undefined ? NO_SAMPLES : await this.#samples(diff);
    return { tree, diff, samples, running, kept };
  }

  async #trees(query: SnapshotQuery): Promise<StoredTree[]> {
    const found = await this.#deps.snapshots.newest(toSeries(query), query.snapshotId);
    if (query.snapshotId !== undefined && found[0]?.id !== query.snapshotId) return [];
    return Promise.all(
      found.map(async (snapshot) => ({
        snapshot,
        files: await this.#deps.jobs.files(snapshot.workspaceId, snapshot.id),
      })),
    );
  }

  async #samples(diff: SnapshotDiff): Promise<DiscoveryResult['samples']> {
    const first = async (set: ChangeSet): Promise<Row[]> => {
      const [name] = documentsOf(diff, set);
      return name === undefined ? [] : parseRows(await this.#deps.documents.get(name));
    };
    return { added: await first('added'), removed: await first('removed'), updated: await first('updated') };
  }

  /**
   * Returns a page of the distinct URLs in a snapshot or in one of its files, in tree order and alphabetically within a file. Reads all
   * entries of the snapshot to count the matches.
   * @throws AppError not_found
   */
  async listEntries(query: SnapshotQuery, file: string | undefined, page: EntryQuery): Promise<EntryList> {
    const [tree] = await this.#trees(query);
    const files = tree?.files.filter(({ url }) => file === undefined || url === file) ?? [];
    if (tree === undefined) throw noSnapshot(query);
    if (file !== undefined && files.length === 0) throw new AppError('not_found', 'the snapshot has no such file');
    const matches = new EntryPage(page, files.length > 1);
    for await (const batch of treeEntries(this.#deps.documents, files))
      for (const entry of batch.entries) matches.add(entry.url, () => toRow(entry, batch.file));
    return { snapshotId: tree.snapshot.id, ...matches.result() };
  }

  /** Returns a page of one set of changes since the previous snapshot. @throws AppError not_found */
  async listChanges(query: SnapshotQuery, set: ChangeSet, page: EntryQuery): Promise<EntryList> {
    const [tree, before] = await this.#trees(query);
    if (tree === undefined) throw noSnapshot(query);
    const snapshotId = tree.snapshot.id;
    const diff = await this.#deps.diffs.between(before, tree);
    if (diff === undefined) return { snapshotId, rows: [], total: 0, prefixes: [] };
    const names = documentsOf(diff, set);
    const isAll = page.prefix === '' && page.q === '';
    // Without a filter the position of a row is known, so only the documents of the page are opened.
    const skipped = isAll ? Math.min(Math.floor(page.after / CHANGES_PER_DOCUMENT), names.length) : 0;
    const matches = new EntryPage({ ...page, after: page.after - skipped * CHANGES_PER_DOCUMENT }, false);
    for (const name of names.slice(skipped)) {
      for (const row of parseRows(await this.#deps.documents.get(name))) matches.add(row.url, () => row);
      if (isAll && matches.isFull) break;
    }
    const { rows, total } = matches.result();
    return { snapshotId, rows, total: isAll ? diff[set] : total, prefixes: [] };
  }
}

const toSeries = ({ workspaceId, projectId, url }: SnapshotQuery): SnapshotSeries => ({
  workspaceId,
  projectId,
  site: siteKey(new URL(url)),
});

/** Without an id the newest snapshot is requested: there is none. */
const noSnapshot = ({ snapshotId }: SnapshotQuery): AppError =>
  new AppError(
    'not_found',
    snapshotId === undefined
      ? 'the sitemaps of this site have not been read yet; POST /v1/projects/{id}/discovery reads them, and so does a run with use_sitemap'
      : 'snapshot not found',
  );
