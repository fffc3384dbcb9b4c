import type { Connection, Provider } from '@tidemark/sdk';

/** Texts of the fields of a connection. */
export interface ConnectionDraft {
  readonly name: string;
  readonly config: Readonly<Record<string, string>>;
  /** Empty: a stored secret is kept. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** Returns the fields of a provider, with the values of a connection or its defaults. */
export function draftOf({ title, fields }: Provider, connection?: Connection): ConnectionDraft {
  const config = fields.map(({ name, fallback }) => {
    const value = connection?.config[name] ?? fallback ?? '';
    return [name, typeof value === 'string' ? value : JSON.stringify(value)];
  });
  return { name: connection?.name ?? title, config: Object.fromEntries(config), secrets: {} };
}

const filled = ([, text]: readonly [string, string]): boolean => text !== '';

/** The body that creates or changes a connection. A field of `config` that is null is removed. */
export interface ConnectionBody {
  readonly name: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<Record<string, string>>;
}

/** Returns what the draft sends. Ports are numbers; an empty field is left out of a new connection and removed from a stored one. */
export function bodyOf(
  provider: Provider,
  { name, config, secrets }: ConnectionDraft,
  isStored: boolean,
): ConnectionBody {
  const ports = new Set(provider.fields.filter(({ type }) => type === 'port').map((field) => field.name));
  const valueOfField = ([key, text]: readonly [string, string]): [string, unknown] => {
    if (text === '') return [key, null];
    return [key, ports.has(key) && /^\d+$/.test(text) ? Number(text) : text];
  };
  const entries = Object.entries(config).filter((entry) => isStored || filled(entry));
  return {
    name,
    config: Object.fromEntries(entries.map(valueOfField)),
    secrets: Object.fromEntries(Object.entries(secrets).filter(filled)),
  };
}

interface Issue {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
}

/** Returns the messages of a refusal by the name of the field. */
export const fieldMessages = (issues: readonly Issue[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    issues.flatMap(({ loc, msg }) => {
      const name = loc.findLast((part) => typeof part === 'string' && !['body', 'config', 'secrets'].includes(part));
      return name === undefined ? [] : [[String(name), `${msg.charAt(0).toUpperCase()}${msg.slice(1)}`]];
    }),
  );
