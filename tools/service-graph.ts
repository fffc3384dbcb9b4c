// `node --conditions=tidemark-source tools/service-graph.ts [--write]`: prints which service calls which, as derived from the code; with
// --write, puts it into ARCHITECTURE.md. `npm run check` verifies it.
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findCycle, GRAPH_BLOCK, printGraph, readServiceGraph } from './service-graph/service-graph.ts';
import { writeBlock } from './text-block.ts';

const root = resolve(import.meta.dirname, '..');
const { graph, problems } = readServiceGraph(root);
const cycle = findCycle(graph);
console.log(printGraph(graph));
for (const problem of problems) console.error(problem);
if (cycle !== undefined) console.error(`there is a cycle: ${cycle.join(' -> ')}`);
if (problems.length > 0 || cycle !== undefined) process.exitCode = 1;
else if (process.argv.includes('--write')) {
  const file = join(root, 'ARCHITECTURE.md');
  writeFileSync(file, writeBlock(readFileSync(file, 'utf8'), printGraph(graph), GRAPH_BLOCK));
}
