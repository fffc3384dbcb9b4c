import { plural } from '../../language/plural.ts';
import type { Texts } from '../../language/texts.ts';
import type { counts as english } from '../en/counts.ts';

export const counts: Texts<typeof english> = {
  addresses: (value) => plural(value, { one: 'Adresse', other: 'Adressen' }),
  blocks: (value) => plural(value, { one: 'Block', other: 'Blöcke' }),
  cells: (value) => plural(value, { one: 'Zelle', other: 'Zellen' }),
  changedPages: (value) => plural(value, { one: 'geänderte Seite', other: 'geänderte Seiten' }),
  changes: (value) => plural(value, { one: 'Änderung', other: 'Änderungen' }),
  codes: (value) => plural(value, { one: 'Code', other: 'Codes' }),
  comparisons: (value) => plural(value, { one: 'Vergleich', other: 'Vergleichen' }),
  cookies: (value) => plural(value, { one: 'Cookie', other: 'Cookies' }),
  credits: (value) => plural(value, { one: 'Credit', other: 'Credits' }),
  differences: (value) => plural(value, { one: 'Unterschied', other: 'Unterschiede' }),
  errors: (value) => plural(value, { one: 'Fehler', other: 'Fehler' }),
  entries: (value) => plural(value, { one: 'Eintrag', other: 'Einträge' }),
  files: (value) => plural(value, { one: 'Datei', other: 'Dateien' }),
  jobs: (value) => plural(value, { one: 'Auftrag', other: 'Aufträge' }),
  minutes: (value) => plural(value, { one: 'Minute', other: 'Minuten' }),
  elements: (value) => plural(value, { one: 'Element', other: 'Elemente' }),
  matches: (value) => plural(value, { one: 'Treffer', other: 'Treffer' }),
  pages: (value) => plural(value, { one: 'Seite', other: 'Seiten' }),
  projects: (value) => plural(value, { one: 'Projekt', other: 'Projekte' }),
  rows: (value) => plural(value, { one: 'Zeile', other: 'Zeilen' }),
  runs: (value) => plural(value, { one: 'Lauf', other: 'Läufe' }),
  settings: (value) => plural(value, { one: 'Einstellung', other: 'Einstellungen' }),
  sitemaps: (value) => plural(value, { one: 'Sitemap', other: 'Sitemaps' }),
  syncs: (value) => plural(value, { one: 'Übertragung', other: 'Übertragungen' }),
  urls: (value) => plural(value, { one: 'URL', other: 'URLs' }),
  words: (value) => plural(value, { one: 'Wort', other: 'Wörter' }),
};
