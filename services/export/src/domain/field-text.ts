import type { ProviderField } from './providers/provider.ts';

/** Control characters: PostgreSQL text cannot store NUL, header values cannot contain line breaks. */
const CONTROL = /\p{Cc}/u;
const CONTROL_BUT_LINES = /[^\P{Cc}\n\r\t]/u;
/** Values sent in request headers: visible ASCII only. */
const HEADER_SAFE = /^[\x21-\x7e]+$/;
/** Names of RFC 1123, and names with an underscore, which exist in private networks. */
const HOST = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*\.?$/i;
const PORT = /^[1-9]\d{0,4}$/;
const MAX_PORT = 65_535;

/** Result of reading the text of a field. */
export type FieldText = { readonly value: string } | { readonly problem: string };

/** Reads the text of a field by its type. The problem never contains the text. */
export function readFieldText(field: ProviderField, text: string): FieldText {
  if (text.length > field.maxChars) return { problem: `at most ${field.maxChars} characters` };
  if (!text.isWellFormed()) return { problem: 'expected text without lone surrogates' };
  switch (field.type) {
    case 'line':
      return CONTROL.test(text) ? { problem: 'expected text without control characters' } : { value: text };
    case 'lines':
      return CONTROL_BUT_LINES.test(text)
        ? { problem: 'expected text without control characters other than line breaks' }
        : { value: text };
    case 'header': {
      const trimmed = text.trim();
      return HEADER_SAFE.test(trimmed)
        ? { value: trimmed }
        : { problem: 'expected visible ASCII characters without a space' };
    }
    case 'url':
      return readUrl(text);
    case 'host':
      return readHost(text.trim());
    case 'port':
      return PORT.test(text) && Number(text) <= MAX_PORT ? { value: text } : { problem: 'expected a port, 1 to 65535' };
    case 'choice':
      return field.choices.includes(text)
        ? { value: text }
        : { problem: `expected one of ${field.choices.join(', ')}` };
  }
}

function readUrl(text: string): FieldText {
  if (CONTROL.test(text)) return { problem: 'expected text without control characters' };
  const url = URL.parse(text);
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (url === null || !isWeb) return { problem: 'expected an http or https address' };
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    return { problem: 'expected an address without credentials, query and fragment' };
  return { value: url.href.replace(/\/+$/, '') };
}

/** An address in brackets is stored without them. A text such as 0x7f.1, which resolvers read as an address, is a name here: the guard decides. */
function readHost(text: string): FieldText {
  const bare = text.replace(/^\[(.*)\]$/, '$1');
  if (bare.includes(':') && URL.canParse(`http://[${bare}]/`)) return { value: bare };
  return HOST.test(text)
    ? { value: text.toLowerCase() }
    : { problem: 'expected the name or the IP address of a server, without a scheme, port or path' };
}
