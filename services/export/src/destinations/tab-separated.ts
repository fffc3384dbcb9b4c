import { storableText } from './storable.ts';

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Escapes a text for COPY of PostgreSQL and LOAD DATA of MySQL, which share these sequences. */
export function escapedCell(text: string): string {
  return storableText(text).replace(/[\\\n\r\t]/g, (character) => ESCAPES[character] ?? character);
}
