import { Worker } from 'node:worker_threads';

const IS_SOURCE = import.meta.url.endsWith('.ts');
const WORKER = new URL(IS_SOURCE ? './compare-worker.ts' : './compare-worker.js', import.meta.url);

/** Starts a comparing thread. The thread does not keep the process alive. */
export function startCompareWorker(heapMb: number): Worker {
  const worker = new Worker(WORKER, {
    resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
    execArgv: IS_SOURCE ? ['--conditions=tidemark-source', '--disable-warning=ExperimentalWarning'] : [],
  });
  worker.unref();
  return worker;
}
