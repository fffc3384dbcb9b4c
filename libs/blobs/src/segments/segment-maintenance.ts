import { statSync } from 'node:fs';
import type { BlobMaintenance, MaintenanceReport } from '../blob-maintenance.ts';
import { compactSegment } from './compact-segment.ts';
import { eraseDead } from './erase-entries.ts';
import { FileImport } from './import-files.ts';
import { recoverSegment } from './recover-index.ts';
import { createdMs, listSegments, segmentFolder, segmentPath } from './segment-folder.ts';
import { SegmentIndex, type SegmentUse } from './segment-index.ts';
import { SegmentWriter } from './segment-writer.ts';
import { ignoreStep, type OnStep } from './steps.ts';

/** A segment that was not written for this time is sealed, ms. Writers continue none after a third of it, and commit within seconds. */
const SEAL_AFTER_MS = 3_600_000;
/**
 * Files of the earlier layout are moved when the folder of segments is this old, ms: an upgrade that fails is undone within it, and the earlier version
 * reads no segments. A file system that stores no time of creation gives that of the last change of the folder, so that the move starts later.
 */
const IMPORT_AFTER_MS = 24 * 3_600_000;
/** Share of live bytes below which a segment is rewritten. */
const LIVE_SHARE = 0.5;
/** Segments below this size are merged, bytes, once there are `MERGED_SEGMENTS` of them. */
const SMALL_BYTES = 16 * 1024 * 1024;
const MERGED_SEGMENTS = 8;
/** Bodies that are reported at once. */
const REPORTED = 1_000;

export interface SegmentMaintenanceOptions {
  readonly now?: () => number;
  readonly sealAfterMs?: number;
  readonly importAfterMs?: number;
  readonly segmentBytes?: number;
  readonly onStep?: OnStep;
}

interface MeasuredSegment extends SegmentUse {
  /** Size of the file. */
  readonly bytes: number;
}

/** Maintains a store in segments. Safe to run in several processes at once, and to end at any step. */
export class SegmentMaintenance implements BlobMaintenance {
  readonly #folder: string;
  readonly #index: SegmentIndex;
  readonly #files: FileImport;
  readonly #writer: SegmentWriter;
  readonly #now: () => number;
  readonly #sealAfterMs: number;
  readonly #importAfterMs: number;
  readonly #onStep: OnStep;

  constructor(root: string, options: SegmentMaintenanceOptions = {}) {
    const { now = Date.now, onStep = ignoreStep, segmentBytes } = options;
    const { sealAfterMs = SEAL_AFTER_MS, importAfterMs = IMPORT_AFTER_MS } = options;
    this.#folder = segmentFolder(root);
    this.#now = now;
    this.#sealAfterMs = sealAfterMs;
    this.#importAfterMs = importAfterMs;
    this.#onStep = onStep;
    this.#index = new SegmentIndex(this.#folder, { isDurable: true, onStep });
    this.#files = new FileImport({ root, index: this.#index, now, onStep });
    const size = segmentBytes === undefined ? {} : { segmentBytes };
    this.#writer = new SegmentWriter({ folder: this.#folder, now, ...size });
  }

  async run(isOpen: () => boolean): Promise<MaintenanceReport> {
    const isOldEnough = statSync(this.#folder).birthtimeMs <= this.#now() - this.#importAfterMs;
    const imported = isOldEnough ? await this.#files.importAll(isOpen) : 0;
    this.#sealIdle(isOpen);
    await eraseDead(this.#folder, this.#index, this.#onStep);
    const { compacted, damaged } = await this.#compact(isOpen);
    // Copies of bodies that were removed while they were copied.
    await eraseDead(this.#folder, this.#index, this.#onStep);
    return { imported, compacted, damaged };
  }

  recovered(): string[] {
    return this.#index.recovered(REPORTED).map((sha256) => sha256.toString('hex'));
  }

  acknowledgeRecovered(sha256s: readonly string[]): void {
    this.#index.acknowledgeRecovered(sha256s.map((sha256) => Buffer.from(sha256, 'hex')));
  }

  #sealIdle(isOpen: () => boolean): void {
    const sealed = new Set(
      this.#index
        .segments()
        .filter(({ isSealed }) => isSealed)
        .map(({ name }) => name),
    );
    for (const name of listSegments(this.#folder)) {
      if (sealed.has(name) || !isOpen()) continue;
      const stats = statSync(segmentPath(this.#folder, name), { throwIfNoEntry: false });
      if (stats === undefined || stats.mtimeMs > this.#now() - this.#sealAfterMs) continue;
      this.#index.register(name);
      // Sealed first, so that no writer adds an entry that recovery takes for an abandoned copy.
      this.#index.seal(name);
      recoverSegment(this.#folder, this.#index, name, true);
    }
    const open = this.#index.segments().filter(({ isSealed }) => !isSealed);
    this.#index.removeTombstones(Math.min(this.#now(), ...open.map(({ name }) => createdMs(name))));
  }

  async #compact(isOpen: () => boolean): Promise<{ compacted: number; damaged: string[] }> {
    const deps = { folder: this.#folder, index: this.#index, writer: this.#writer, onStep: this.#onStep };
    let compacted = 0;
    const damaged: string[] = [];
    for (const { name } of this.#worthRewriting()) {
      if (!isOpen()) break;
      if (!this.#index.claim(name, this.#now())) continue;
      if (await compactSegment(deps, name)) compacted += 1;
      else damaged.push(name);
    }
    return { compacted, damaged };
  }

  #worthRewriting(): MeasuredSegment[] {
    const sealed = this.#index.segments().flatMap((segment): MeasuredSegment[] => {
      if (!segment.isSealed) return [];
      const stats = statSync(segmentPath(this.#folder, segment.name), { throwIfNoEntry: false });
      return [{ ...segment, bytes: stats?.size ?? 0 }];
    });
    const mostlyDead = sealed.filter(({ liveBytes, bytes }) => liveBytes < bytes * LIVE_SHARE || liveBytes === 0);
    const small = sealed.filter((segment) => segment.bytes < SMALL_BYTES && !mostlyDead.includes(segment));
    return small.length < MERGED_SEGMENTS ? mostlyDead : [...mostlyDead, ...small];
  }

  async close(): Promise<void> {
    this.#files.close();
    this.#writer.abandon();
    this.#index.close();
  }
}
