import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { createSegmentFolder } from './segment-folder.ts';
import { ignoreStep, type OnStep } from './steps.ts';

/** An entry in a segment. */
export interface Location {
  /** Name of the segment. */
  readonly segment: string;
  /** Offset of the entry. */
  readonly at: number;
  /** Bytes of the entry with its header. */
  readonly span: number;
}

export interface IndexedEntry extends Location {
  readonly sha256: Buffer;
}

/** An entry that was found in a segment. */
export interface RecoveredEntry extends IndexedEntry {
  readonly appendedMs: number;
}

export interface FoundLocation extends Location {
  readonly isInTrash: boolean;
}

export interface SegmentUse {
  readonly name: string;
  /** Bytes of the entries that the index refers to. */
  readonly liveBytes: number;
  readonly isSealed: boolean;
}

/** The segment was sealed: its writer must append to a new one. */
export class SegmentSealed extends Error {
  constructor(segment: string) {
    super(`segment ${segment} is sealed`);
    this.name = 'SegmentSealed';
  }
}

const FILE = 'index.sqlite';
/** Version of the tables. A release that can not share the index with the one before increments it. */
const VERSION = 1;
/** Time a statement waits for the writer of another thread or process, ms. */
const BUSY_MS = 10_000;
/** Pages of 4 KB in the write-ahead log before a commit also copies them to the database. */
const CHECKPOINT_PAGES = 4_000;
/** A claim of a segment for compaction expires after this time, ms. */
const CLAIM_MS = 10 * 60_000;

const TABLES = `
  CREATE TABLE IF NOT EXISTS segments (
    no INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    live_bytes INTEGER NOT NULL DEFAULT 0,
    sealed INTEGER NOT NULL DEFAULT 0,
    claimed_ms INTEGER NOT NULL DEFAULT 0
  );
  CREATE TABLE IF NOT EXISTS entries (
    sha256 BLOB PRIMARY KEY,
    segment INTEGER NOT NULL,
    at INTEGER NOT NULL,
    span INTEGER NOT NULL,
    in_trash INTEGER NOT NULL DEFAULT 0
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS recovered (sha256 BLOB PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS purged (sha256 BLOB PRIMARY KEY, ms INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS dead (
    segment TEXT NOT NULL,
    at INTEGER NOT NULL,
    span INTEGER NOT NULL,
    PRIMARY KEY (segment, at)
  ) WITHOUT ROWID;`;

type Row = Record<string, SQLOutputValue>;

function int(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== 'number') throw new Error(`the index of the blob store has no number in ${column}`);
  return value;
}

function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw new Error(`the index of the blob store has no text in ${column}`);
  return value;
}

const isAt = (found: Location | undefined, { segment, at }: Location): boolean =>
  found?.segment === segment && found.at === at;

function nameOf({ sha256 }: Row): Buffer {
  if (!(sha256 instanceof Uint8Array)) throw new Error('the index of the blob store has no bytes in sha256');
  return Buffer.from(sha256);
}

export interface SegmentIndexOptions {
  /** Makes each commit durable. Without it a power failure may undo the newest commits, which recovery repeats from the segments. */
  readonly isDurable: boolean;
  readonly onStep?: OnStep;
}

/**
 * Where the entries of all segments are, in SQLite. Threads and processes of one machine share it; each has its own connection. It is derived from
 * the segments: entries that it lacks are added by `recoverIndex`. It never refers to an entry that is not durable.
 */
export class SegmentIndex {
  readonly #db: DatabaseSync;
  readonly #file: string;
  readonly #inode: number;
  readonly #onStep: OnStep;
  readonly #find: StatementSync;
  readonly #segmentNo: StatementSync;
  readonly #insertSegment: StatementSync;
  readonly #insertEntry: StatementSync;
  readonly #addLive: StatementSync;
  readonly #setTrash: StatementSync;
  readonly #insertDead: StatementSync;

  constructor(folder: string, { isDurable, onStep = ignoreStep }: SegmentIndexOptions) {
    createSegmentFolder(folder);
    this.#onStep = onStep;
    this.#file = join(folder, FILE);
    this.#db = new DatabaseSync(this.#file, { timeout: BUSY_MS });
    this.#refuseNewer();
    this.#db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${isDurable ? 'FULL' : 'NORMAL'};
      PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}; PRAGMA user_version = ${VERSION};${TABLES}`);
    this.#inode = statSync(this.#file).ino;
    const prepare = (sql: string) => this.#db.prepare(sql);
    this.#find = prepare(
      'SELECT s.name, e.at, e.span, e.in_trash FROM entries e JOIN segments s ON s.no = e.segment WHERE e.sha256 = ?',
    );
    this.#segmentNo = prepare('SELECT no, sealed FROM segments WHERE name = ?');
    this.#insertSegment = prepare('INSERT INTO segments (name) VALUES (?)');
    this.#insertEntry = prepare('INSERT INTO entries (sha256, segment, at, span, in_trash) VALUES (?, ?, ?, ?, ?)');
    this.#addLive = prepare('UPDATE segments SET live_bytes = live_bytes + ? WHERE name = ?');
    this.#setTrash = prepare('UPDATE entries SET in_trash = ? WHERE sha256 = ? AND in_trash <> ?');
    this.#insertDead = prepare('INSERT OR IGNORE INTO dead (segment, at, span) VALUES (?, ?, ?)');
  }

  /** A process of an older version would write entries that the newer index does not have. */
  #refuseNewer(): void {
    const row = this.#db.prepare('PRAGMA user_version').get();
    const version = row === undefined ? 0 : int(row, 'user_version');
    if (version <= VERSION) return;
    this.#db.close();
    throw new Error(`${this.#file} has version ${version} of a newer release; this release reads up to ${VERSION}`);
  }

  /** Returns whether the file was deleted, or replaced by another process, since it was opened. Changes of this connection are then lost. */
  isReplaced(): boolean {
    return statSync(this.#file, { throwIfNoEntry: false })?.ino !== this.#inode;
  }

  find(sha256: Uint8Array): FoundLocation | undefined {
    const row = this.#find.get(sha256);
    if (row === undefined) return undefined;
    return {
      segment: text(row, 'name'),
      at: int(row, 'at'),
      span: int(row, 'span'),
      isInTrash: int(row, 'in_trash') === 1,
    };
  }

  /** Returns the next names in order. */
  names(after: Uint8Array, limit: number): Buffer[] {
    const rows = this.#db
      .prepare('SELECT sha256 FROM entries WHERE sha256 > ? ORDER BY sha256 LIMIT ?')
      .all(after, limit);
    return rows.map(nameOf);
  }

  /**
   * Adds durable entries. An entry whose body is stored elsewhere is dead, and that body is taken out of the trash.
   * @throws SegmentSealed if the segment of an entry is sealed; then none is added
   */
  add(entries: readonly IndexedEntry[], options: { readonly isInTrash?: boolean } = {}): void {
    if (entries.length === 0) return;
    this.#transaction(() => {
      for (const entry of entries) this.#add(entry, options.isInTrash === true);
      this.#onStep('before index commit');
    });
    this.#onStep('indexed');
  }

  #add(entry: IndexedEntry, isInTrash: boolean): void {
    const { sha256, segment, at, span } = entry;
    const found = this.find(sha256);
    const no = this.#openSegment(segment);
    if (found === undefined) {
      this.#insertEntry.run(sha256, no, at, span, isInTrash ? 1 : 0);
      this.#addLive.run(span, segment);
      return;
    }
    if (!isInTrash) this.#setTrash.run(0, sha256, 0);
    if (found.segment !== segment || found.at !== at) this.#insertDead.run(segment, at, span);
  }

  #openSegment(name: string): number {
    const row = this.#segmentNo.get(name);
    if (row === undefined) return Number(this.#insertSegment.run(name).lastInsertRowid);
    if (int(row, 'sealed') === 1) throw new SegmentSealed(name);
    return int(row, 'no');
  }

  /** Makes a segment known, so that it is sealed and compacted although no entry was added. */
  register(name: string): void {
    this.#db.prepare('INSERT OR IGNORE INTO segments (name) VALUES (?)').run(name);
  }

  /** Takes bodies out of the trash, or moves them there. */
  setTrash(sha256s: readonly Uint8Array[], isInTrash: boolean): void {
    const to = isInTrash ? 1 : 0;
    this.#transaction(() => {
      for (const sha256 of sha256s) this.#setTrash.run(to, sha256, to);
    });
  }

  /**
   * Removes the bodies that are in the trash. Their entries are dead, and listed by `dead` until they are erased. A tombstone keeps copies that a crash
   * left in a segment from being recovered. @returns those removed
   */
  removeTrashed(sha256s: readonly Buffer[], nowMs: number): Buffer[] {
    const tombstone = this.#db.prepare('INSERT OR REPLACE INTO purged (sha256, ms) VALUES (?, ?)');
    const remove = this.#db.prepare('DELETE FROM entries WHERE sha256 = ? AND in_trash = 1');
    return this.#transaction(() =>
      sha256s.filter((sha256) => {
        const found = this.find(sha256);
        if (found === undefined || !found.isInTrash) return false;
        remove.run(sha256);
        tombstone.run(sha256, nowMs);
        this.#addLive.run(-found.span, found.segment);
        this.#insertDead.run(found.segment, found.at, found.span);
        return true;
      }),
    );
  }

  /** Removes tombstones from before `ms`: no segment that may hold a copy is open any more. */
  removeTombstones(ms: number): void {
    this.#db.prepare('DELETE FROM purged WHERE ms < ?').run(ms);
  }

  /** Returns dead entries whose bytes are not erased yet. */
  dead(limit: number): Location[] {
    const rows = this.#db.prepare('SELECT segment, at, span FROM dead ORDER BY segment, at LIMIT ?').all(limit);
    return rows.map((row) => ({ segment: text(row, 'segment'), at: int(row, 'at'), span: int(row, 'span') }));
  }

  /** Records that dead entries are erased, or that their segment does not exist any more. */
  erased(locations: readonly Location[]): void {
    const remove = this.#db.prepare('DELETE FROM dead WHERE segment = ? AND at = ?');
    this.#transaction(() => {
      for (const { segment, at } of locations) remove.run(segment, at);
    });
  }

  segments(): SegmentUse[] {
    const rows = this.#db.prepare('SELECT name, live_bytes, sealed FROM segments ORDER BY name').all();
    return rows.map((row) => ({
      name: text(row, 'name'),
      liveBytes: int(row, 'live_bytes'),
      isSealed: int(row, 'sealed') === 1,
    }));
  }

  /** Ends a segment: `add` refuses entries of it. */
  seal(name: string): void {
    this.#db.prepare('UPDATE segments SET sealed = 1 WHERE name = ?').run(name);
  }

  /** Claims a sealed segment for compaction. @returns false if another process has claimed it */
  claim(name: string, nowMs: number): boolean {
    const claim = this.#db.prepare(
      'UPDATE segments SET claimed_ms = ? WHERE name = ? AND sealed = 1 AND claimed_ms < ?',
    );
    return Number(claim.run(nowMs, name, nowMs - CLAIM_MS).changes) === 1;
  }

  /** Changes the location of copied entries. A copy whose original has been removed meanwhile is dead. @throws SegmentSealed */
  move(moves: readonly { readonly sha256: Buffer; readonly from: Location; readonly to: Location }[]): void {
    const update = this.#db.prepare('UPDATE entries SET segment = ?, at = ?, span = ? WHERE sha256 = ?');
    this.#transaction(() => {
      for (const { sha256, from, to } of moves) {
        const no = this.#openSegment(to.segment);
        const found = this.find(sha256);
        if (found?.segment === from.segment && found.at === from.at) {
          update.run(no, to.at, to.span, sha256);
          this.#addLive.run(-from.span, from.segment);
          this.#addLive.run(to.span, to.segment);
        } else if (found?.segment !== to.segment || found.at !== to.at)
          this.#insertDead.run(to.segment, to.at, to.span);
      }
    });
  }

  /**
   * Adds durable entries that were found in a segment and that the index may lack. Those without a stored body are listed by `recovered`.
   * @param options.isErased reads from the segment whether an entry was erased meanwhile
   * @param options.isSealed the segment is sealed, so that no writer adds these entries: copies of stored bodies are then dead
   */
  recover(
    entries: readonly RecoveredEntry[],
    options: { readonly isErased: (entry: IndexedEntry) => boolean; readonly isSealed: boolean },
  ): void {
    const isDead = this.#db.prepare('SELECT 1 FROM dead WHERE segment = ? AND at = ?');
    const purgedSince = this.#db.prepare('SELECT 1 FROM purged WHERE sha256 = ? AND ms >= ?');
    const list = this.#db.prepare('INSERT OR IGNORE INTO recovered (sha256) VALUES (?)');
    this.#transaction(() => {
      for (const entry of entries) {
        const { sha256, segment, at, span, appendedMs } = entry;
        if (isDead.get(segment, at) !== undefined || options.isErased(entry)) continue;
        const found = this.find(sha256);
        const isCopy = !isAt(found, entry);
        if (found === undefined && purgedSince.get(sha256, appendedMs) === undefined) {
          const no = int(this.#segmentNo.get(segment) ?? {}, 'no');
          this.#insertEntry.run(sha256, no, at, span, 0);
          this.#addLive.run(span, segment);
          list.run(sha256);
        } else if (options.isSealed && isCopy) this.#insertDead.run(segment, at, span);
      }
    });
  }

  /** Returns bodies that recovery added. No row may reference them: their writer ended before it committed. */
  recovered(limit: number): Buffer[] {
    const rows = this.#db.prepare('SELECT sha256 FROM recovered LIMIT ?').all(limit);
    return rows.map(nameOf);
  }

  acknowledgeRecovered(sha256s: readonly Buffer[]): void {
    const remove = this.#db.prepare('DELETE FROM recovered WHERE sha256 = ?');
    this.#transaction(() => {
      for (const sha256 of sha256s) remove.run(sha256);
    });
  }

  /** Removes an empty segment with its dead entries. @returns false if the index still refers to an entry of it */
  removeSegment(name: string): boolean {
    return this.#transaction(() => {
      const removed = this.#db.prepare('DELETE FROM segments WHERE name = ? AND live_bytes = 0').run(name);
      if (Number(removed.changes) === 0) return false;
      this.#db.prepare('DELETE FROM dead WHERE segment = ?').run(name);
      return true;
    });
  }

  #transaction<T>(work: () => T): T {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#db.exec('COMMIT');
      return result;
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  close(): void {
    if (this.#db.isOpen) this.#db.close();
  }
}
