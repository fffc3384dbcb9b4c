import { existsSync, readdirSync, readFileSync, rmdirSync, statSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { blobFile } from '../files/blob-file.ts';
import { trashName } from '../files/trash-name.ts';
import { contentSize } from '../unpack-blob.ts';
import { segmentFolder } from './segment-folder.ts';
import type { SegmentIndex } from './segment-index.ts';
import { entryOf, SegmentWriter } from './segment-writer.ts';
import type { OnStep } from './steps.ts';

const FOLDER = /^[0-9a-f]{2}$/;
const FILE = /^([0-9a-f]{64})(\.trash)?\.zst$/;
/** A file that is still incomplete after this time was left by a process that ended, ms. */
const PARTIAL_MS = 3_600_000;
/** Files that share a sync. */
const BATCH = 50;

export interface FileImportDeps {
  readonly root: string;
  readonly index: SegmentIndex;
  readonly now: () => number;
  readonly onStep: OnStep;
}

interface BodyFile {
  readonly path: string;
  readonly sha256: string;
  readonly isInTrash: boolean;
}

/** Moves bodies of the earlier layout, a file per body, into segments. */
export class FileImport {
  readonly #deps: FileImportDeps;
  readonly #writer: SegmentWriter;

  constructor(deps: FileImportDeps) {
    this.#deps = deps;
    this.#writer = new SegmentWriter({ folder: segmentFolder(deps.root), now: deps.now });
  }

  /** Imports the files of these bodies that exist. */
  importNamed(sha256s: readonly string[]): void {
    const { root, index } = this.#deps;
    const files = sha256s.flatMap((sha256) => {
      if (index.find(Buffer.from(sha256, 'hex')) !== undefined) return [];
      const live = { path: blobFile(root, sha256), sha256, isInTrash: false };
      const trashed = { path: blobFile(root, trashName(sha256)), sha256, isInTrash: true };
      return [live, trashed].filter(({ path }) => existsSync(path));
    });
    this.#import(files);
  }

  /** Imports all files, folder by folder, while `isOpen` returns true. @returns the number of files */
  async importAll(isOpen: () => boolean): Promise<number> {
    const { root } = this.#deps;
    let imported = 0;
    const folders = existsSync(root) ? readdirSync(root).filter((name) => FOLDER.test(name)) : [];
    for (const folder of folders) {
      const path = join(root, folder);
      const files = this.#filesIn(path);
      for (let from = 0; from < files.length; from += BATCH) {
        if (!isOpen()) return imported;
        const batch = files.slice(from, from + BATCH);
        this.#import(batch);
        imported += batch.length;
        await nextTurn();
      }
      removeIfEmpty(path);
    }
    return imported;
  }

  /** Returns the bodies in a folder, those in the trash last: a body that is in both is stored. Deletes incomplete files. */
  #filesIn(folder: string): BodyFile[] {
    const files: BodyFile[] = [];
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      const [, sha256, trash] = FILE.exec(name) ?? [];
      if (sha256 !== undefined) files.push({ path, sha256, isInTrash: trash !== undefined });
      else if (name.endsWith('.partial') && isOlder(path, this.#deps.now() - PARTIAL_MS)) removeFile(path);
    }
    return files.sort((a, b) => Number(a.isInTrash) - Number(b.isInTrash));
  }

  #import(files: readonly BodyFile[]): void {
    for (const isInTrash of [false, true]) {
      const group = files.filter((file) => file.isInTrash === isInTrash);
      if (group.length > 0) this.#importGroup(group, isInTrash);
    }
    for (const { path } of files) removeFile(path);
    this.#deps.onStep('file imported');
  }

  #importGroup(files: readonly BodyFile[], isInTrash: boolean): void {
    const { index, now, onStep } = this.#deps;
    const missing = files.flatMap(({ path, sha256 }) => {
      if (index.find(Buffer.from(sha256, 'hex')) !== undefined) return [];
      const packed = readFileIfExists(path);
      return packed === undefined ? [] : [entryOf({ sha256, packed, bytes: contentSize(packed) ?? 0 }, now())];
    });
    if (missing.length === 0) return;
    const entries = this.#writer.appendSync(missing);
    onStep('appended');
    this.#writer.syncSync();
    onStep('synced');
    index.add(entries, { isInTrash });
  }

  close(): void {
    this.#writer.abandon();
  }
}

function readFileIfExists(path: string): Buffer | undefined {
  return existsSync(path) ? readFileSync(path) : undefined;
}

function isOlder(path: string, thanMs: number): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && stats.mtimeMs < thanMs;
}

function removeFile(path: string): void {
  if (existsSync(path)) unlinkSync(path);
}

function removeIfEmpty(folder: string): void {
  if (readdirSync(folder).length === 0) rmdirSync(folder);
}
