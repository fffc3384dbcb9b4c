import { FLEET_NAMES, isScopedToCaller, RPC_CALLERS, SCOPES, type Scope } from '@tidemark/contracts';
import { z } from 'zod';
import { parseSharedKeys, type SharedKeys } from './shared-keys.ts';

/** A caller outside the fleet, with the RPCs it may call. */
export interface NamedCaller {
  readonly keys: SharedKeys;
  /** `package.Service/Method`. */
  readonly rpcs: ReadonlySet<string>;
  /** The highest scope its calls may have. */
  readonly scope: Scope;
  /** Workspaces it may act for. */
  readonly workspaces: { readonly kind: 'all' } | { readonly kind: 'only'; readonly ids: ReadonlySet<string> };
}

const Entry = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9-]{1,62}$/, 'expected 2 to 63 lower-case letters, digits and hyphens'),
  key: z.string(),
  rpcs: z.array(z.string()).min(1),
  scope: z.enum(SCOPES).default('read'),
  workspaces: z.array(z.string()).min(1).optional(),
});

/** Parses the setting GRPC_CALLERS: a JSON array of callers; empty: none. @throws Error that names the entry and the field, never a key */
export function parseNamedCallers(text: string): ReadonlyMap<string, NamedCaller> {
  const parsed = z.array(Entry).safeParse(parseJson(text));
  if (!parsed.success)
    throw new Error(
      parsed.error.issues.map((issue) => `${issue.path.join('.') || 'value'}: ${issue.message}`).join('; '),
    );
  const callers = new Map<string, NamedCaller>();
  for (const entry of parsed.data) {
    if (FLEET_NAMES.has(entry.name)) throw new Error(`${entry.name} is the name of a service; choose another name`);
    if (callers.has(entry.name)) throw new Error(`${entry.name} is listed twice`);
    callers.set(entry.name, toCaller(entry));
  }
  return callers;
}

function toCaller({ name, key, rpcs, scope, workspaces }: z.output<typeof Entry>): NamedCaller {
  const unknown = rpcs.filter((rpc) => !Object.hasOwn(RPC_CALLERS, rpc));
  if (unknown.length > 0)
    throw new Error(`${name}: ${unknown.join(', ')} does not exist; expected package.Service/Method`);
  const unscoped = workspaces === undefined ? [] : rpcs.filter((rpc) => !isScopedToCaller(rpc));
  if (unscoped.length > 0)
    throw new Error(`${name}: ${unscoped.join(', ')} can not be restricted to workspaces; list it in another entry`);
  try {
    return {
      keys: parseSharedKeys(key),
      rpcs: new Set(rpcs),
      scope,
      workspaces: workspaces === undefined ? { kind: 'all' } : { kind: 'only', ids: new Set(workspaces) },
    };
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : 'invalid key'}`);
  }
}

function parseJson(text: string): unknown {
  if (text.trim() === '') return [];
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('expected a JSON array of callers');
  }
}
