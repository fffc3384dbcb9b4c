import { parseSync } from '@swc/core';
import { argumentsOf, child, children, literal, type Node, nameOf, walk } from '../lints/ast.ts';

/** A use of an RPC in a file: the file implements it, or it calls it. */
export interface RpcUse {
  /** `package.Service/Method`, such as `tidemark.archive.v1.ArchiveService/ListPages`. */
  readonly rpc: string;
  readonly isImplemented: boolean;
}

/** Functions that bind a handler to an RPC. */
const BINDERS: ReadonlySet<string> = new Set(['handle', 'handleStream']);

/**
 * Returns the RPCs that a file uses: every `Rpc.method` where `Rpc` is a proto service imported from `@tidemark/contracts`. The first
 * argument of `handle` or `handleStream` is an implementation; every other use is a call. @throws Error where the text is no TypeScript
 */
export function readRpcs(text: string): RpcUse[] {
  if (!text.includes('@tidemark/contracts/')) return [];
  const tree: unknown = parseSync(text, { syntax: 'typescript', target: 'es2024' });
  const services = importedServices(tree);
  const implemented = new Set<Node>();
  const found: RpcUse[] = [];
  walk(tree, (node, inType) => {
    if (node.type === 'CallExpression' && BINDERS.has(nameOf(child(node, 'callee', 'Identifier')))) {
      const [method] = argumentsOf(node);
      if (method !== undefined) implemented.add(method);
    }
    if (inType || node.type !== 'MemberExpression') return;
    const service = services.get(nameOf(child(node, 'object', 'Identifier')));
    const method = nameOf(child(node, 'property', 'Identifier'));
    if (service === undefined || method === '') return;
    found.push({ rpc: `${service}/${upperFirst(method)}`, isImplemented: implemented.has(node) });
  });
  return found;
}

/** Returns the proto services of the contracts by the name under which the file imports them. */
function importedServices(tree: unknown): ReadonlyMap<string, string> {
  const services = new Map<string, string>();
  walk(tree, (node) => {
    if (node.type !== 'ImportDeclaration') return;
    const [, area, version] = /^@tidemark\/contracts\/(\w+)\/(v\d+)\//.exec(literal(child(node, 'source')) ?? '') ?? [];
    for (const specifier of children(node, 'specifiers')) {
      const local = nameOf(child(specifier, 'local'));
      const exported = nameOf(child(specifier, 'imported')) || local;
      if (area !== undefined && exported.endsWith('ServiceService'))
        services.set(local, `tidemark.${area}.${version}.${exported.slice(0, -'Service'.length)}`);
    }
  });
  return services;
}

const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
