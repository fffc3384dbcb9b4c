/** What a run of maintenance did. */
export interface MaintenanceReport {
  /** Files of the earlier layout that were moved into segments. */
  readonly imported: number;
  /** Segments that were rewritten or removed. */
  readonly compacted: number;
  /** Segments with entries that can not be read. They are kept. */
  readonly damaged: readonly string[];
}

/** Background work of a blob store: seals segments, erases deleted bodies, returns their space, moves files of the earlier layout into segments. */
export interface BlobMaintenance {
  /** Runs once. Stops early if `isOpen` returns false. */
  run(isOpen: () => boolean): Promise<MaintenanceReport>;
  /** Returns bodies that were found after a crash and may have no row. Their owner checks them as it checks blobs that lost a reference. */
  recovered(): string[];
  /** Removes bodies from `recovered`, after they were recorded to be checked. */
  acknowledgeRecovered(sha256s: readonly string[]): void;
  close(): Promise<void>;
}

/** A store that needs no maintenance. */
export const noMaintenance: BlobMaintenance = {
  run: async () => ({ imported: 0, compacted: 0, damaged: [] }),
  recovered: () => [],
  acknowledgeRecovered: () => undefined,
  close: async () => undefined,
};
