import { TidemarkError } from './errors.ts';
import type { Messages } from './generated/contract.ts';

/** A webhook message; `event` selects the type of `data`. */
export type WebhookMessage = Messages[keyof Messages];

type HeaderValues = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** Largest difference between the time of the message and this clock, seconds; 300 by default. */
  readonly toleranceSeconds?: number | undefined;
  /** Unix time in ms, for tests. */
  readonly now?: number | undefined;
}

const TOLERANCE_SECONDS = 300;
const invalid = (message: string): TidemarkError => new TidemarkError({ code: 'invalid_signature', message });

const isHeaders = (headers: HeaderValues): headers is Headers => typeof headers['get'] === 'function';

function headerOf(headers: HeaderValues, name: string): string {
  // Headers of another realm or library are no instance of the global class.
  if (isHeaders(headers)) return headers.get(name) ?? '';
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1] ?? '';
  return typeof found === 'string' ? found : found.join(' ');
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

const fromHex = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** Returns the signatures of the header `webhook-signature`; undefined for those of another version. */
const standardSignatures = (header: string): (Uint8Array<ArrayBuffer> | undefined)[] =>
  header.split(' ').map((one) => (one.startsWith('v1,') ? fromBase64(one.slice(3)) : undefined));

/** Compares in constant time. */
async function isSigned(
  key: BufferSource,
  content: BufferSource,
  signatures: readonly (BufferSource | undefined)[],
): Promise<boolean> {
  const hmac = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  for (const signature of signatures)
    if (signature !== undefined && (await crypto.subtle.verify('HMAC', hmac, signature, content))) return true;
  return false;
}

/**
 * Returns the message if one of the secrets signed it and it is at most five minutes old. Reads the headers of Standard Webhooks.
 * X-Service-Signature has no time, so that an old message could be sent again: it is read only with `toleranceSeconds: Infinity`.
 * @param raw the body as received, before any parsing
 * @param secrets one, or several during a rotation
 * @throws TidemarkError invalid_signature
 */
export async function verifyWebhook(
  raw: string | Uint8Array,
  headers: HeaderValues,
  secrets: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS, now = Date.now() }: VerifyOptions = {},
): Promise<WebhookMessage> {
  const text = typeof raw === 'string' ? raw : new TextDecoder().decode(raw);
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const standard = headerOf(headers, 'webhook-signature');
  const simple = headerOf(headers, 'x-service-signature').replace('sha256=', '');
  const isTimed = standard !== '';
  if (!isTimed && (toleranceSeconds !== Infinity || simple === ''))
    throw invalid('the message has no webhook-signature header');
  if (isTimed && !(Math.abs(now / 1_000 - Number(timestamp)) <= toleranceSeconds))
    throw invalid(`the time of the message differs from this clock by more than ${toleranceSeconds} s`);
  const content = encode(isTimed ? `${id}.${timestamp}.${text}` : text);
  const signatures = isTimed ? standardSignatures(standard) : [fromHex(simple)];
  for (const secret of [secrets].flat()) {
    const key = isTimed ? fromBase64(secret.replace('whsec_', '')) : encode(secret);
    if (key !== undefined && key.length > 0 && (await isSigned(key, content, signatures))) return JSON.parse(text);
  }
  throw invalid('the signature is invalid: check the secret, and that the body is unchanged');
}
