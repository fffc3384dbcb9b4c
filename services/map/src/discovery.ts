import type { BlobStore } from '@tidemark/blobs';
import { AppError } from '@tidemark/errors';
import { diffSnapshots, type SnapshotDiff, type SnapshotFile, sameDocuments } from './domain/diff-snapshots.ts';
import { readEntries } from './domain/entry-document.ts';
import type { Job } from './domain/job.ts';
import { siteKey } from './domain/scope.ts';
import { pathOf } from './domain/section.ts';
import { type Entry, isRead, type SiteFile } from './domain/tree.ts';
import type { JobStore } from './store/job-store.ts';
import type { SnapshotStore } from './store/snapshot-store.ts';

export interface Snapshot {
  readonly job: Job;
  readonly files: readonly SiteFile[];
  /** Nothing of the tree was left unread. */
  readonly isComplete: boolean;
}

export interface Discovered {
  readonly snapshot: Snapshot | undefined;
  readonly diff: (SnapshotDiff & { readonly beforeId: string; readonly isVerdict: boolean }) | undefined;
  readonly running: string;
}

interface Deps {
  readonly snapshots: SnapshotStore;
  readonly jobs: JobStore;
  readonly blobs: BlobStore;
}

const NOTHING_CHANGED = { added: [], removed: [], updated: [], filesAdded: [], filesRemoved: [] } as const;
/** Reading both trees of the largest sites would fill the memory; they are told by their files alone. */
const MAX_COMPARED = 1_000_000;

/** Stored trees of sites, and what changed between them. */
export class Discovery {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The newest tree of the site an address belongs to, and what has changed since the one before. */
  async read(workspaceId: string, url: string, snapshotId: string): Promise<Discovered> {
    const site = siteKey(new URL(url));
    const { snapshots } = this.#deps;
    const [found, running] = await Promise.all([
      snapshots.newest(workspaceId, site, snapshotId),
      snapshots.running(workspaceId, site),
    ]);
    const [newest, before] = await Promise.all(found.map((job) => this.#snapshot(job)));
    if (newest === undefined || (snapshotId !== '' && newest.job.id !== snapshotId))
      return { snapshot: undefined, diff: undefined, running };
    return { snapshot: newest, diff: before === undefined ? undefined : await this.#diff(before, newest), running };
  }

  async #snapshot(job: Job): Promise<Snapshot> {
    const files = await this.#deps.jobs.files(job.workspaceId, job.id);
    return { job, files, isComplete: job.stop === undefined && files.every(({ verdict }) => verdict === 'read') };
  }

  async #diff(before: Snapshot, after: Snapshot): Promise<NonNullable<Discovered['diff']>> {
    const about = { beforeId: before.job.id, isVerdict: before.isComplete && after.isComplete };
    const bare = (files: readonly SiteFile[]): SnapshotFile[] =>
      files.filter(isRead).map(({ url, entries }) => ({ url, sha256: entries, entries: [] }));
    const [old, now] = [bare(before.files), bare(after.files)];
    if (sameDocuments(old, now)) return { ...NOTHING_CHANGED, ...about };
    if (before.job.totals.urls + after.job.totals.urls > MAX_COMPARED) return { ...diffSnapshots(old, now), ...about };
    const opened = new Map<string, readonly Entry[]>();
    const open = async (file: SnapshotFile): Promise<SnapshotFile> => {
      const entries = opened.get(file.sha256) ?? (await this.#entries(file.sha256));
      opened.set(file.sha256, entries);
      return { ...file, entries };
    };
    const openAll = async (files: readonly SnapshotFile[]) => {
      const all: SnapshotFile[] = [];
      for (const file of files) all.push(await open(file));
      return all;
    };
    return { ...diffSnapshots(await openAll(old), await openAll(now)), ...about };
  }

  async #entries(sha256: string): Promise<Entry[]> {
    return sha256 === '' ? [] : readEntries((await this.#deps.blobs.get(sha256)).toString('utf8'));
  }

  /** Addresses one file of a stored tree declares, sorted. @throws AppError not_found */
  async entries(
    workspaceId: string,
    wanted: EntriesWanted,
  ): Promise<{ entries: Entry[]; total: number; file: SiteFile }> {
    const { snapshot } = await this.read(workspaceId, wanted.url, wanted.snapshotId);
    const file = snapshot?.files.find(({ url }) => url === wanted.file);
    if (file === undefined) throw new AppError('not_found', 'there is no such file in the tree');
    const q = wanted.q.toLowerCase();
    const matching = (await this.#entries(file.entries)).filter(
      ({ url }) => pathOf(url).startsWith(wanted.prefix) && url.toLowerCase().includes(q),
    );
    const { after, limit } = wanted;
    return { entries: matching.slice(after, after + limit), total: matching.length, file };
  }
}

export interface EntriesWanted {
  readonly url: string;
  readonly snapshotId: string;
  readonly file: string;
  readonly prefix: string;
  readonly q: string;
  readonly after: number;
  readonly limit: number;
}
