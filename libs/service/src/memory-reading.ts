import { readFileSync } from 'node:fs';
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Memory of this process, bytes. */
export interface MemoryReading {
  readonly heapUsed: number;
  /** Heap in use after the last full garbage collection; 0 before the first. */
  readonly heapLive: number;
  readonly heapLimit: number;
  readonly resident: number;
  /** Limit of the resident memory; infinite if none is set. */
  readonly residentLimit: number;
}

const MEGABYTE = 1_048_576;
/** Limits of the cgroup, version 2 and 1. */
const CGROUP_FILES = ['/sys/fs/cgroup/memory.max', '/sys/fs/cgroup/memory/memory.limit_in_bytes'];
/** Version 1 reports a number near 2^63 where no limit is set. */
const NO_LIMIT = 2 ** 60;

function cgroupLimit(): number {
  for (const file of CGROUP_FILES) {
    try {
      const bytes = Number(readFileSync(file, 'utf8'));
      if (bytes > 0 && bytes < NO_LIMIT) return bytes;
    } catch {
      // The next file, or no limit.
    }
  }
  return Number.POSITIVE_INFINITY;
}

/** Returns the lower of TIDEMARK_MEMORY_MB and the limit of the cgroup. */
function residentLimit(): number {
  const megabytes = Number(process.env['TIDEMARK_MEMORY_MB'] ?? '');
  return Math.min(megabytes > 0 ? megabytes * MEGABYTE : Number.POSITIVE_INFINITY, cgroupLimit());
}

/** Returns a function that reads the memory of this process in about 20 µs. */
export function openMemoryReader(): () => MemoryReading {
  let heapLive = 0;
  const limit = residentLimit();
  const observer = new PerformanceObserver((list) => {
    const isFull = list.getEntries().some((entry) => kindOf(entry) === constants.NODE_PERFORMANCE_GC_MAJOR);
    if (isFull) heapLive = getHeapStatistics().used_heap_size;
  });
  observer.observe({ entryTypes: ['gc'] });
  return () => {
    const { used_heap_size: heapUsed, heap_size_limit: heapLimit } = getHeapStatistics();
    return { heapUsed, heapLive, heapLimit, resident: process.memoryUsage.rss(), residentLimit: limit };
  };
}

/** Returns the kind of a garbage collection, which its entry has as a detail. */
function kindOf(entry: object): unknown {
  const detail: unknown = 'detail' in entry ? entry.detail : undefined;
  return typeof detail === 'object' && detail !== null && 'kind' in detail ? detail.kind : undefined;
}

/** Returns a function that runs a full garbage collection. A process that refuses work allocates little, so V8 starts none. */
export function openCollector(): () => void {
  let collect: unknown;
  return () => {
    if (collect === undefined) {
      setFlagsFromString('--expose-gc');
      collect = runInNewContext('gc');
    }
    if (typeof collect === 'function') collect();
  };
}
