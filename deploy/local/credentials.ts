import { join, relative } from 'node:path';
import { asObject, readJson, writeJson } from './json-file.ts';
import { fleetKeys } from './local-keys.ts';
import { messageOf, Problem } from './problem.ts';
import { runToEnd } from './programs.ts';
import type { Stack } from './stack-types.ts';

export interface Credentials {
  readonly url: string;
  readonly key: string;
}

/** Credentials, and whether this start created the key. */
export interface EnsuredCredentials extends Credentials {
  readonly isNew: boolean;
  /** One-time link that makes the first owner; empty once there is one. */
  readonly setupUrl: string;
  /** Path of the credentials file: relative to the working folder where it is inside, absolute elsewhere. */
  readonly file: string;
}

/**
 * Returns the key of the first workspace, the one in `credentials.json` if the API accepts it, otherwise a new one, and the link for its
 * first owner. Both are stored there.
 */
export async function ensureCredentials(stack: Stack): Promise<EnsuredCredentials> {
  const file = join(stack.dataDir, 'credentials.json');
  const stored = readJson(file);
  const { key } = stored;
  const known = typeof key === 'string' && (await isAccepted(stack.url, key)) ? key : undefined;
  const hasOwner = stored['hasOwner'] === true;
  const made = known === undefined || !hasOwner ? await firstAccess(stack, known === undefined) : undefined;
  const setupToken = made?.setupToken ?? '';
  const setupUrl = setupToken === '' ? '' : `${stack.url}/auth/setup#${setupToken}`;
  const credentials = { url: stack.url, key: known ?? made?.key ?? '' };
  writeJson(file, { ...credentials, ...(setupUrl === '' ? { hasOwner: true } : { setupUrl }) }, 0o600);
  const path = relative(process.cwd(), file);
  return { ...credentials, isNew: known === undefined, setupUrl, file: path.startsWith('..') ? file : path };
}

async function isAccepted(url: string, key: string): Promise<boolean> {
  const response = await fetch(`${url}/v1/me`, {
    headers: { authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(10_000),
  });
  await response.body?.cancel();
  // A rate limit does not mean that the key is invalid.
  if (response.ok || response.status === 429) return true;
  if (response.status === 401 || response.status === 403 || response.status === 404) return false;
  throw new Problem(
    `GET ${url}/v1/me answered ${response.status} where 200 was expected; the gateway's log is in .tidemark/logs.`,
  );
}

/** Creates the first workspace if needed. @returns a new key, if one is needed, and the token of the setup link */
async function firstAccess(stack: Stack, needsKey: boolean): Promise<{ key: string; setupToken: string }> {
  const identity = stack.services.get('identity');
  if (identity === undefined) throw new Error('a key needs the identity service');
  const script = join(import.meta.dirname, 'first-key.ts');
  const env = { ...process.env, IDENTITY_ADDR: identity.grpcAddr, FLEET_KEYS: fleetKeys(stack.dataDir) };
  try {
    const flags = ['--conditions=tidemark-source', '--disable-warning=ExperimentalWarning'];
    const more = needsKey ? ['key'] : [];
    const printed = await runToEnd([process.execPath, ...flags, script, ...more], { env, withinMs: 60_000 });
    const { key, setupToken } = asObject(JSON.parse(printed));
    return { key: String(key ?? ''), setupToken: String(setupToken ?? '') };
  } catch (error) {
    throw new Problem(`The first key could not be made (${messageOf(error)}); identity's log is in .tidemark/logs.`);
  }
}
