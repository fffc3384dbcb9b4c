import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { callerDifferences, type RpcCallers, readRpcCallers } from '../service-graph/rpc-callers.ts';
import { callsIn, findCycle, GRAPH_BLOCK, printGraph, readServiceGraph } from '../service-graph/service-graph.ts';
import { readBlock } from '../text-block.ts';
import type { Check } from './check.ts';

const DOCUMENT = 'ARCHITECTURE.md';

/**
 * Returns the check that calls between services form a graph without cycles, that the document shows the graph of the code, and that
 * the table of allowed callers is the one of the code.
 */
export const graphCheck = (root: string, table: RpcCallers): Check => ({
  name: 'service graph',
  async run() {
    const { graph, problems } = readServiceGraph(root);
    const cycle = findCycle(graph);
    const cycles = cycle === undefined ? [] : [`services call each other in a cycle: ${cycle.join(' -> ')}`];
    const shown = readBlock(readFileSync(join(root, DOCUMENT), 'utf8'), GRAPH_BLOCK);
    const isShown = shown === printGraph(graph);
    const write = 'node --conditions=tidemark-source tools/service-graph.ts --write';
    const stale = isShown ? [] : [`${DOCUMENT} does not show the graph of the code; run ${write}`];
    const summary = `${graph.size} services, ${callsIn(graph)} calls, ${cycle === undefined ? 'no cycle' : 'a cycle'}`;
    const differences = callerDifferences(readRpcCallers(root, graph), table);
    const refused = differences.map((difference) => `libs/contracts/src/rpc-callers.ts: ${difference}`);
    return { summary, problems: [...problems, ...cycles, ...stale, ...refused] };
  },
});
