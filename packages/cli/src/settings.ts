import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { CliError, EXIT } from './exit.ts';

export interface Profile {
  readonly apiKey?: string;
  readonly baseUrl?: string;
}

type Profiles = Readonly<Record<string, Profile>>;

const DEFAULT_BASE_URL = 'http://127.0.0.1:8787/v1';

/** Path of the settings file (XDG Base Directory Specification). */
export const settingsFile = (env: NodeJS.ProcessEnv): string =>
  join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'tidemark', 'config.json');

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textOr = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** Returns the stored profiles; none if there is no file. @throws CliError where the file is not JSON */
export function readProfiles(file: string): Profiles {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return {};
  }
  try {
    const read: unknown = JSON.parse(text);
    return isRecord(read)
      ? Object.fromEntries(Object.entries(read).map(([name, value]) => [name, profileOf(value)]))
      : {};
  } catch {
    throw new CliError(`${file} is not JSON: correct it, or delete it and run \`tidemark login\``);
  }
}

function profileOf(value: unknown): Profile {
  const read = isRecord(value) ? value : {};
  const apiKey = textOr(read['apiKey']);
  const baseUrl = textOr(read['baseUrl']);
  return { ...(apiKey === undefined ? {} : { apiKey }), ...(baseUrl === undefined ? {} : { baseUrl }) };
}

/** Stores the profiles, readable by the current user only: in a new file, which replaces one with other permissions. */
export function writeProfiles(file: string, profiles: Profiles): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const written = `${file}.${process.pid}`;
  rmSync(written, { force: true });
  writeFileSync(written, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  renameSync(written, file);
}

export interface Access {
  readonly apiKey: string;
  readonly baseUrl: string;
  /** Where the key comes from. */
  readonly source: 'TIDEMARK_API_KEY' | 'profile' | 'none';
}

export interface AccessOptions {
  readonly profile?: string | undefined;
  readonly baseUrl?: string | undefined;
}

/** Returns a URL without the slash at its end. @throws CliError */
function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return text.replace(/\/+$/, '');
  throw new CliError(`the base URL ${text} is no http or https URL, such as ${DEFAULT_BASE_URL}`, EXIT.usage);
}

/** Returns the key and the base URL: of options, then of the environment, then of the profile. */
export function accessOf({ profile = 'default', baseUrl }: AccessOptions, env: NodeJS.ProcessEnv): Access {
  const stored = readProfiles(settingsFile(env))[profile] ?? {};
  const fromEnv = textOr(env['TIDEMARK_API_KEY']);
  return {
    apiKey: fromEnv ?? stored.apiKey ?? '',
    baseUrl: checkedUrl(baseUrl ?? textOr(env['TIDEMARK_BASE_URL']) ?? stored.baseUrl ?? DEFAULT_BASE_URL),
    source: fromEnv !== undefined ? 'TIDEMARK_API_KEY' : stored.apiKey === undefined ? 'none' : 'profile',
  };
}
