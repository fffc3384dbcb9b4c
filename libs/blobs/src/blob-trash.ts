/**
 * Deletes blobs in two steps: a blob is moved to the trash, where it can still be read, and purged later. In between it is restored if
 * a new row references it: a writer that found the blob in the store did not write it again, and may not have committed its row yet.
 * A writer that finds a blob in the trash takes it out, or stores it again.
 */
export interface BlobTrash {
  /** Moves blobs to the trash. @returns those that are in the trash now; the others do not exist */
  discard(sha256s: readonly string[]): Promise<ReadonlySet<string>>;
  /** Moves blobs from the trash back to the store. Ignores those that are not in the trash. */
  restore(sha256s: readonly string[]): Promise<void>;
  /** Deletes blobs from the trash, never from the store, and erases their bytes. @returns those that were in the trash */
  purge(sha256s: readonly string[]): Promise<ReadonlySet<string>>;
  close(): Promise<void>;
}

/** Requests of one call that run at once. */
const CONCURRENCY = 8;

/** Returns those names for which `test` resolves to true. Runs a few at once. */
export async function filterNames(
  sha256s: readonly string[],
  test: (sha256: string) => Promise<boolean>,
): Promise<ReadonlySet<string>> {
  const passed = new Set<string>();
  for (let from = 0; from < sha256s.length; from += CONCURRENCY) {
    const batch = sha256s.slice(from, from + CONCURRENCY);
    await Promise.all(
      batch.map(async (sha256) => {
        if (await test(sha256)) passed.add(sha256);
      }),
    );
  }
  return passed;
}
