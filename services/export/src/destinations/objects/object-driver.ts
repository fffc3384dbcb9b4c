import { createHash, randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import type { DestinationMode } from '@tidemark/datasets';
import type { DialTcp } from '@tidemark/egress';
import { dialFailure } from '../dial-failure.ts';
import {
  DestinationError,
  type Driver,
  type StoredPart,
  type SyncAttempt,
  type SyncOutcome,
  type SyncPlan,
  type SyncSource,
  type TestStep,
} from '../driver.ts';
import { compressionOf, encodePart, partName } from './encode-part.ts';
import { MANIFEST, type Manifest, manifestBytes, readManifest } from './manifest.ts';
import { runFolder } from './object-path.ts';
import type { ObjectStore, ObjectTarget } from './object-store.ts';
import { PartBuffer } from './part-buffer.ts';
import { fileColumns, PART_LIMITS, type PartLimits, partsOf } from './part-rows.ts';

/** Modes of destinations of files: objects can not be changed by rows. */
export const OBJECT_MODES = ['append'] as const satisfies readonly DestinationMode[];

/** A part is held in memory while it is encoded. */
export const MAX_CELL_BYTES = 64 * 1024 * 1024;

/**
 * Writes each run as whole objects in a folder of its own, the manifest last. A run that is written again replaces the files of the
 * manifest. Parts that are recorded are not written again by a later attempt.
 */
export class ObjectDriver implements Driver {
  readonly #target: ObjectTarget;
  readonly #dial: DialTcp;
  readonly #limits: PartLimits;

  /** @param limits smaller in tests */
  constructor(target: ObjectTarget, dial: DialTcp, limits = PART_LIMITS) {
    this.#target = target;
    this.#dial = dial;
    this.#limits = limits;
  }

  async *test(mode: DestinationMode, signal: AbortSignal): AsyncGenerator<TestStep> {
    const { server, location } = this.#target;
    let socket: Socket;
    try {
      socket = await this.#dial(server, { signal });
    } catch (error) {
      yield* dialFailure(error);
      return;
    }
    yield { name: 'address', ok: true, message: 'the address is allowed' };
    yield { name: 'connect', ok: true, message: `connected to port ${server.port}` };
    const path = `_tidemark_test_${randomBytes(8).toString('hex')}`;
    let name: TestStep['name'] = 'sign_in';
    let store: ObjectStore | undefined;
    try {
      store = await this.#target.open(socket, { signal, mayLearn: true });
      await store.get(path, signal);
      const { learned } = store;
      yield { name, ok: true, message: `signed in to ${location}`, ...(learned === undefined ? {} : { learned }) };
      name = 'write';
      await writeAndDelete(store, path, signal);
      yield { name, ok: true, message: 'a file can be written, read and deleted' };
      yield modeStep(mode);
    } catch (error) {
      yield { name, ok: false, message: error instanceof Error ? error.message : String(error) };
    } finally {
      socket.destroy();
      await store?.close();
    }
  }

  async write(plan: SyncPlan, source: SyncSource, attempt: SyncAttempt): Promise<SyncOutcome> {
    const { signal } = attempt;
    const step = modeStep(plan.mode);
    if (!step.ok) throw new DestinationError('invalid', step.message);
    const folder = runFolder(plan);
    const socket = await this.#dial(this.#target.server, { signal });
    const store = await this.#target.open(socket, { signal, mayLearn: false });
    try {
      const before = await readManifest(store, folder, signal);
      const isDone = before?.syncId === plan.syncId;
      const manifest = isDone ? before : await this.#writeAll(store, { plan, folder, before, source }, attempt);
      for (const name of manifest.replaced) await store.remove(`${folder}${name}`, signal);
      const { rows, bytes, skipped } = manifest;
      const counts = { read: rows, written: rows, unchanged: 0, deleted: 0, skipped, bytes };
      return { status: 'done', ...counts, warnings: [], location: `${this.#target.location}${folder}` };
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      await store.close();
    }
  }

  async #writeAll(store: ObjectStore, work: Writing, attempt: SyncAttempt): Promise<Manifest> {
    const { plan, folder, before } = work;
    const { parts, skipped } = await this.#writeParts(store, work, attempt);
    const names = new Set(parts.map(({ name }) => name));
    const { syncId, projectId, dataset, runId, runAt, files, columns } = plan;
    const manifest: Manifest = {
      version: 1,
      syncId,
      projectId,
      dataset,
      runId,
      runAt: runAt.toISOString(),

      format: files.format,
      compression: compressionOf(files),
      columns: fileColumns(columns).map(({ name, type, isNullable }) => ({ name, type, nullable: isNullable })),
      rows: parts.reduce((sum, { rows }) => sum + rows, 0),
      bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
      skipped,
      parts: parts.map(({ name, rows, bytes, sha256 }) => ({ name, rows, bytes, sha256 })),
      replaced: (before?.parts ?? []).map(({ name }) => name).filter((name) => !names.has(name)),
      writtenAt: new Date().toISOString(),
    };
    await store.put(`${folder}${MANIFEST}`, manifestBytes(manifest), attempt.signal);
    return manifest;
  }

  /** Writes the parts behind the recorded ones, in order; a part is encoded while the one before it is uploaded. */
  async #writeParts(
    store: ObjectStore,
    { plan, folder, source }: Writing,
    attempt: SyncAttempt,
  ): Promise<{ readonly parts: readonly StoredPart[]; readonly skipped: number }> {
    const parts = [...attempt.parts];
    let skipped = parts.reduce((sum, part) => sum + part.skipped, 0);
    let read = parts.reduce((sum, { rows }) => sum + rows, 0);
    let uploading: Promise<void> | undefined;
    let [filling, sending] = [new PartBuffer(), new PartBuffer()];
    const upload = async (bytes: Buffer, stored: Omit<StoredPart, 'bytes' | 'sha256'>): Promise<void> => {
      await store.put(`${folder}${stored.name}`, bytes, attempt.signal);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const part = { ...stored, bytes: bytes.length, sha256 };
      await attempt.recordPart(part);
      parts.push(part);
    };
    try {
      for await (const part of partsOf(source.read(parts.at(-1)?.last ?? 0), plan, this.#limits)) {
        attempt.signal.throwIfAborted();
        const bytes = await encodePart(plan, part, filling);
        await uploading;
        const { rows, skipped: left, last } = part.counts;
        skipped += left;
        if (rows === 0) continue;
        read += rows;
        attempt.reportProgress(read);
        const number = parts.length;
        const stored = { number, name: partName(plan, number), rows, skipped: left, last };
        uploading = upload(bytes, stored);
        // Awaited before the next upload and at the end.
        uploading.catch(() => undefined);
        [filling, sending] = [sending, filling];
      }
      await uploading;
      return { parts, skipped };
    } finally {
      await uploading?.catch(() => undefined);
    }
  }
}

interface Writing {
  readonly plan: SyncPlan;
  readonly folder: string;
  readonly before: Manifest | undefined;
  readonly source: SyncSource;
}

async function writeAndDelete(store: ObjectStore, path: string, signal: AbortSignal): Promise<void> {
  const bytes = Buffer.from('Written by a test of a connection; may be deleted.\n');
  await store.put(path, bytes, signal);
  const found = await store.get(path, signal);
  await store.remove(path, signal);
  if (found === undefined || Buffer.compare(found, bytes) !== 0)
    throw new DestinationError('invalid', 'a file that was written reads differently');
}

function modeStep(mode: DestinationMode): TestStep {
  if (mode === 'append') return { name: 'mode', ok: true, message: 'append is supported' };
  const message = `${mode} is not supported: each run is written as files of its own. Choose the mode append`;
  return { name: 'mode', ok: false, message };
}
