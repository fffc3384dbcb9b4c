import { workerData } from 'node:worker_threads';
import { serveTasks } from '@tidemark/worker-threads';
import type { Variable } from '../values.ts';
import { type CompiledShape, compileShape, type Shape } from './shape.ts';
import type { BatchRows, ShapedBatch } from './shaped-batch.ts';

/** Most failures returned for a batch; the number of all of them is returned too. */
const MAX_FAILURES = 100;

export interface WorkerInput {
  readonly shape: Shape;
  readonly variables: readonly Variable[];
}

const { shape, variables }: WorkerInput = workerData;
const compiled = compileShape(shape, variables);
if (!('shape' in compiled)) throw new Error('the shape was not validated before its worker was started');
serveTasks((rows: BatchRows) => () => shapeBatch(compiled, rows));

function shapeBatch(shapeOf: CompiledShape, rows: BatchRows): ShapedBatch {
  const shaped: ShapedBatch['rows'][number][] = [];
  const kept: number[] = [];
  const failures: ShapedBatch['failures'][number][] = [];
  let failed = 0;
  for (const [index, row] of rows.entries()) {
    const result = shapeOf.shape(row);
    if (result.row !== undefined) {
      shaped.push(result.row);
      kept.push(index);
    }
    failed += result.failures.length;
    for (const failure of result.failures) if (failures.length < MAX_FAILURES) failures.push({ ...failure, index });
  }
  return { rows: shaped, kept, failed, failures };
}
