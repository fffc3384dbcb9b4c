import type { BlobTrash } from '../blob-trash.ts';
import { eraseDead } from './erase-entries.ts';
import { FileImport } from './import-files.ts';
import { segmentFolder } from './segment-folder.ts';
import { SegmentIndex } from './segment-index.ts';
import { ignoreStep, type OnStep } from './steps.ts';

/** The trash of a store in segments: a mark in the index. A purge overwrites the body in its segment. */
export class SegmentTrash implements BlobTrash {
  readonly #folder: string;
  readonly #files: FileImport;
  readonly #index: SegmentIndex;
  readonly #onStep: OnStep;

  constructor(root: string, { onStep = ignoreStep }: { readonly onStep?: OnStep } = {}) {
    this.#folder = segmentFolder(root);
    this.#onStep = onStep;
    this.#index = new SegmentIndex(this.#folder, { isDurable: true, onStep });
    this.#files = new FileImport({ root, index: this.#index, now: Date.now, onStep });
  }

  async discard(sha256s: readonly string[]): Promise<ReadonlySet<string>> {
    this.#files.importNamed(sha256s);
    const found = sha256s.filter((sha256) => this.#index.find(Buffer.from(sha256, 'hex')) !== undefined);
    this.#index.setTrash(found.map(bytesOf), true);
    return new Set(found);
  }

  async restore(sha256s: readonly string[]): Promise<void> {
    this.#files.importNamed(sha256s);
    this.#index.setTrash(sha256s.map(bytesOf), false);
  }

  async purge(sha256s: readonly string[]): Promise<ReadonlySet<string>> {
    this.#files.importNamed(sha256s);
    const removed = this.#index.removeTrashed(sha256s.map(bytesOf), Date.now());
    this.#onStep('purged');
    if (removed.length > 0) await eraseDead(this.#folder, this.#index, this.#onStep);
    return new Set(removed.map((sha256) => sha256.toString('hex')));
  }

  async close(): Promise<void> {
    this.#files.close();
    this.#index.close();
  }
}

const bytesOf = (sha256: string): Buffer => Buffer.from(sha256, 'hex');
