import { readdirSync, readFileSync } from 'node:fs';
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { observeGauge, observeTotal } from './instruments.ts';

const NANOS_PER_SECOND = 1e9;
const LOOP_RESOLUTION_MS = 20;

/** Returns the version of the installation: that of the package at the root of the image or the repository. */
function versionOfBuild(): string {
  const given = process.env['TIDEMARK_VERSION'];
  if (given !== undefined && given !== '') return given;
  try {
    const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
    const parsed: unknown = JSON.parse(text);
    const version: unknown = typeof parsed === 'object' && parsed !== null && 'version' in parsed ? parsed.version : '';
    return typeof version === 'string' ? version : 'unknown';
  } catch {
    return 'unknown';
  }
}

/** Returns the number of open files and sockets; not a number where /proc is missing. */
function openFiles(): number {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return Number.NaN;
  }
}

/** Registers the metrics of the process, once: memory, CPU, event loop, garbage collection, open files and the version. */
export function observeProcess(): void {
  const loop = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
  loop.enable();
  let collectionMs = 0;
  const collections = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) collectionMs += duration;
  });
  collections.observe({ entryTypes: ['gc'] });

  const version = versionOfBuild();
  observeGauge('tidemark_build_info', { description: 'Always 1; the version of the process' }, () => [
    { value: 1, labels: { version } },
  ]);
  observeGauge(
    'tidemark_process_memory_bytes',
    { description: 'Memory of the process by kind: resident, heap in use, and limit of the heap' },
    () => {
      const { used_heap_size: heap, heap_size_limit: heapLimit } = getHeapStatistics();
      return [
        { value: process.memoryUsage.rss(), labels: { kind: 'resident' } },
        { value: heap, labels: { kind: 'heap' } },
        { value: heapLimit, labels: { kind: 'heap_limit' } },
      ];
    },
  );
  observeGauge(
    'tidemark_event_loop_delay_seconds',
    { description: '99th percentile of the delay of the event loop since the last scrape' },
    () => {
      const value = Math.max(0, loop.percentile(99) / NANOS_PER_SECOND - LOOP_RESOLUTION_MS / 1_000);
      loop.reset();
      return [{ value: Number.isFinite(value) ? value : 0 }];
    },
  );
  observeGauge('tidemark_open_files', { description: 'Open files and sockets of the process' }, () => {
    const value = openFiles();
    return Number.isNaN(value) ? [] : [{ value }];
  });
  observeTotal('tidemark_process_cpu_seconds', { description: 'CPU time of the process with its threads' }, () => {
    const { user, system } = process.cpuUsage();
    return [{ value: (user + system) / 1e6 }];
  });
  observeTotal('tidemark_gc_seconds', { description: 'Time of garbage collections of the main thread' }, () => [
    { value: collectionMs / 1_000 },
  ]);
}
