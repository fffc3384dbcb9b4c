import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readRpcs } from './read-rpcs.ts';
import type { ServiceGraph } from './service-graph.ts';

const SOURCES = ['services/*/src/**/*.ts', 'libs/*/src/**/*.ts'];
const NOT_READ = /\.test\.ts$|\/(generated|fixtures|gen)\/|^libs\/testkit\//;

/** The services that call an RPC, sorted, by `package.Service/Method`. */
export type RpcCallers = Readonly<Record<string, readonly string[]>>;

/**
 * Derives from the code which service calls which RPC. A call in a library counts for every service that depends on the library and
 * dials the service that implements the RPC.
 */
export function readRpcCallers(root: string, graph: ServiceGraph): RpcCallers {
  const owners = new Map<string, string>();
  const calls: { readonly rpc: string; readonly from: string }[] = [];
  for (const path of globSync(SOURCES, { cwd: root }).filter((source) => !NOT_READ.test(source))) {
    const from = path.split('/').slice(0, 2).join('/');
    for (const { rpc, isImplemented } of readRpcs(readFileSync(join(root, path), 'utf8')))
      if (isImplemented) owners.set(rpc, from.slice('services/'.length));
      else calls.push({ rpc, from });
  }
  const callers = new Map([...owners.keys()].map((rpc) => [rpc, new Set<string>()]));
  for (const { rpc, from } of calls) {
    const services = from.startsWith('libs/') ? usersOf(root, from, graph) : [from.slice('services/'.length)];
    const dialing = services.filter((service) => graph.get(service)?.includes(owners.get(rpc) ?? ''));
    for (const service of dialing) callers.get(rpc)?.add(service);
  }
  return Object.fromEntries([...callers].map(([rpc, names]) => [rpc, [...names].sort()]));
}

function usersOf(root: string, library: string, graph: ServiceGraph): string[] {
  const name = `"@tidemark/${library.slice('libs/'.length)}"`;
  return [...graph.keys()].filter((service) =>
    readFileSync(join(root, 'services', service, 'package.json'), 'utf8').includes(name),
  );
}

/** Returns the differences between the callers that the code has and those that the table allows, one line each. */
export function callerDifferences(code: RpcCallers, table: RpcCallers): string[] {
  const rpcs = [...new Set([...Object.keys(code), ...Object.keys(table)])].sort();
  return rpcs.flatMap((rpc) => {
    const [calls, allowed] = [code[rpc], table[rpc]];
    if (calls === undefined) return [`${rpc} has no implementation: delete it from the table`];
    if (allowed === undefined) return [`${rpc} is not in the table: add its callers (${calls.join(', ')})`];
    const [unlisted, unused] = [calls, allowed].map((names, at) =>
      names.filter((name) => !(at === 0 ? allowed : calls).includes(name)),
    );
    return [
      ...(unlisted ?? []).map((name) => `${name} calls ${rpc}, which the table does not allow: add it to its callers`),
      ...(unused ?? []).map((name) => `${name} does not call ${rpc}: delete it from its callers`),
    ];
  });
}
