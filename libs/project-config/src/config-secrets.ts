import type { ProjectConfig as ConfigMessage } from '@tidemark/contracts/config/v1/config';
import { AppError, type FieldFault } from '@tidemark/errors';
import { configEntries } from './config.ts';
import { toConfigMessage } from './config-message.ts';
import { isMaskedUrl, MASK, maskUrl, maskUrlTokens } from './masked-url.ts';

type Settings = Readonly<Record<string, unknown>>;
type Texts = Readonly<Record<string, string>>;

/**
 * Request headers whose values are shown. The value of any other header is treated as a credential: sites choose arbitrary names for such headers.
 */
const SHOWN_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-charset',
  'accept-encoding',
  'accept-language',
  'content-language',
  'user-agent',
  'origin',
  'cache-control',
  'pragma',
  'dnt',
  'sec-gpc',
  'save-data',
  'priority',
  'te',
  'range',
  'upgrade-insecure-requests',
  'if-modified-since',
  'if-unmodified-since',
  'x-requested-with',
  'sec-fetch-dest',
  'sec-fetch-mode',
  'sec-fetch-site',
  'sec-fetch-user',
  'sec-ch-ua',
  'sec-ch-ua-mobile',
  'sec-ch-ua-platform',
]);

const MISSING = 'the value is masked: a mask keeps the stored value, and none is stored under this name';
const MISSING_TEXT =
  'the text is masked: a mask keeps the stored text of the action with the same selector, and there is none';
const OTHER_URL = 'the URL is masked and is not the mask of the stored URL: send the complete URL';

/** A kind of secret in a configuration. */
interface SecretKind {
  readonly mask: (value: unknown) => unknown;
  /** Replaces masks by the stored secrets. @returns the value, or the faults with their paths inside the value */
  readonly restore: (value: unknown, stored: unknown) => Restored;
  /** Returns what a copy to a project of another host has: secrets of a site do not leave it, and the target keeps its own. */
  readonly copy: (value: unknown, target: unknown) => unknown;
}

type Path = readonly (string | number)[];
type Restored = { readonly value: unknown } | { readonly faults: readonly (readonly [path: Path, msg: string])[] };

const textsOf = (value: unknown): Texts =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(
        Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
      )
    : {};

const address = (mask: (url: string) => string): SecretKind => ({
  mask: (value) => (typeof value === 'string' && value !== '' ? mask(value) : value),
  restore(value, stored) {
    if (!isMaskedUrl(value)) return { value };
    if (typeof stored === 'string' && mask(stored) === value) return { value: stored };
    return { faults: [[[], typeof stored === 'string' ? OTHER_URL : MISSING]] };
  },
  // An address belongs to its receiver, not to the site.
  copy: (value) => value,
});

/** Texts by name, such as headers. `isShown` names those that are no secrets; names are compared by `fold`. */
const named = (isShown: (name: string) => boolean, fold: (name: string) => string): SecretKind => ({
  mask: (value) =>
    Object.fromEntries(
      Object.entries(textsOf(value)).map(([name, text]) => [name, text === '' || isShown(name) ? text : MASK]),
    ),
  restore(value, stored) {
    if (typeof value !== 'object' || value === null) return { value };
    const known = new Map(Object.entries(textsOf(stored)).map(([name, text]) => [fold(name), text]));
    const sent = Object.entries(textsOf(value));
    const lost = sent.filter(([name, text]) => text === MASK && !known.has(fold(name)));
    if (lost.length > 0) return { faults: lost.map(([name]) => [[name], MISSING]) };
    return {
      value: Object.fromEntries(
        sent.map(([name, text]) => [name, text === MASK ? (known.get(fold(name)) ?? '') : text]),
      ),
    };
  },
  copy(value, target) {
    const own = Object.entries(textsOf(target)).filter(([name]) => !isShown(name));
    const copied = Object.entries(textsOf(value)).filter(([name]) => isShown(name));
    return own.length + copied.length === 0 && value === undefined
      ? undefined
      : Object.fromEntries([...copied, ...own]);
  },
});

interface TypeAction {
  readonly type: 'type';
  readonly selector: string;
  readonly text: string;
}

const isTypeAction = (action: unknown): action is TypeAction =>
  typeof action === 'object' &&
  action !== null &&
  'type' in action &&
  action.type === 'type' &&
  'text' in action &&
  typeof action.text === 'string' &&
  'selector' in action &&
  typeof action.selector === 'string';

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Texts that actions type. A mask keeps the text of the stored action with the same selector, and the same position among those. */
const typedTexts: SecretKind = {
  mask: (value) =>
    Array.isArray(value)
      ? value.map((action: unknown) =>
          isTypeAction(action) && action.text !== '' ? { ...action, text: MASK } : action,
        )
      : value,
  restore(value, stored) {
    if (!Array.isArray(value)) return { value };
    const texts = Map.groupBy(listOf(stored).filter(isTypeAction), ({ selector }) => selector);
    const counts = new Map<string, number>();
    const faults: [Path, string][] = [];
    const restored = value.map((action: unknown, at) => {
      if (!isTypeAction(action)) return action;
      const nth = counts.get(action.selector) ?? 0;
      counts.set(action.selector, nth + 1);
      if (action.text !== MASK) return action;
      const text = texts.get(action.selector)?.[nth]?.text;
      if (text === undefined) faults.push([[at, 'text'], MISSING_TEXT]);
      return { ...action, text: text ?? '' };
    });
    return faults.length > 0 ? { faults } : { value: restored };
  },
  copy: (value, target) =>
    listOf(value).some((action) => isTypeAction(action) && action.text !== '') ? target : value,
};

const isShownHeader = (name: string): boolean => SHOWN_HEADERS.has(name.toLowerCase());

/** The rule for each kind of secret that the catalogue names. */
const KINDS = {
  address: address(maskUrl),
  url_tokens: address(maskUrlTokens),
  headers: named(isShownHeader, (name) => name.toLowerCase()),
  values: named(
    () => false,
    (name) => name,
  ),
  typed_texts: typedTexts,
} as const satisfies Readonly<Record<string, SecretKind>>;

const BY_KEY: ReadonlyMap<string, SecretKind> = new Map(
  configEntries.flatMap(([key, { secret }]) => (secret === undefined ? [] : [[key, KINDS[secret]] as const])),
);

/** Returns whether the value of a configuration key may contain a secret. */
export const isSecretKey = (key: string): boolean => BY_KEY.has(key);

/** Masks the secrets of one setting. */
export const maskSetting = (key: string, value: unknown): unknown => {
  const kind = BY_KEY.get(key);
  return kind === undefined || value === null || value === undefined ? value : kind.mask(value);
};

/** Masks every secret of a configuration. */
export const maskSecrets = (config: Settings): Settings =>
  Object.fromEntries(Object.entries(config).map(([key, value]) => [key, maskSetting(key, value)]));

/** Returns the messages of a run's configuration, as crawl stores it: masked, and the settings that contain secrets apart. */
export function toRunConfig(config: Settings): {
  readonly config: ConfigMessage;
  readonly secrets: ConfigMessage | undefined;
} {
  const secrets = Object.entries(config).filter(([key]) => isSecretKey(key));
  return {
    config: toConfigMessage(maskSecrets(config)),
    secrets: secrets.length === 0 ? undefined : toConfigMessage(Object.fromEntries(secrets)),
  };
}

/**
 * Replaces the masks in a changed setting by the stored secrets.
 * @throws AppError validation (422) for a mask that is not the mask of the stored value
 */
export function restoreSetting(key: string, value: unknown, stored: unknown): unknown {
  const restored = BY_KEY.get(key)?.restore(value, stored) ?? { value };
  if ('value' in restored) return restored.value;
  throw maskRefused(restored.faults.map(([path, msg]) => faultAt(['config', key], path, msg)));
}

/**
 * Returns the value of a setting that is copied to a project of another host: without secrets of its site, and with those of the target.
 * Undefined: the target has no such setting.
 */
export const copySetting = (key: string, value: unknown, target: unknown): unknown =>
  BY_KEY.get(key)?.copy(value, target) ?? value;

/**
 * Rejects masks in settings for which nothing is stored. `at` is the place of the settings in the request; `keyOf` returns the
 * configuration key of a name.
 * @throws AppError validation (422)
 */
export function rejectMasks(config: Settings | undefined, at: readonly string[]): void {
  const faults = Object.entries(config ?? {}).flatMap(([key, value]) => {
    const restored = BY_KEY.get(key)?.restore(value, undefined);
    return restored === undefined || 'value' in restored
      ? []
      : restored.faults.map(([path, msg]) => faultAt([...at, key], path, msg));
  });
  if (faults.length > 0) throw maskRefused(faults);
}

const faultAt = (at: readonly string[], path: Path, msg: string): FieldFault => ({
  loc: ['body', ...at, ...path],
  msg,
  type: 'masked',
});

function maskRefused(faults: readonly FieldFault[]): AppError {
  const messages = faults.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`);
  return new AppError('validation', messages.join('; '), { detail: faults });
}
