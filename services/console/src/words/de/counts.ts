import { counted } from '../../language/plural.ts';
import type { Texts } from '../../language/texts.ts';
import type { counts as english } from '../en/counts.ts';

export const counts: Texts<typeof english> = {
  blocks: counted('Block', 'Blöcke'),
  cells: counted('Zelle', 'Zellen'),
  changedPages: counted('geänderte Seite', 'geänderte Seiten'),
  changes: counted('Änderung', 'Änderungen'),
  codes: counted('Code', 'Codes'),
  comparisons: counted('Vergleich', 'Vergleichen'),
  cookies: counted('Cookie', 'Cookies'),
  credits: counted('Credit', 'Credits'),
  differences: counted('Unterschied', 'Unterschiede'),
  errors: counted('Fehler', 'Fehler'),
  entries: counted('Eintrag', 'Einträge'),
  files: counted('Datei', 'Dateien'),
  jobs: counted('Auftrag', 'Aufträge'),
  minutes: counted('Minute', 'Minuten'),
  edits: counted('Änderung', 'Änderungen'),
  elements: counted('Element', 'Elemente'),
  matches: counted('Treffer', 'Treffer'),
  pages: counted('Seite', 'Seiten'),
  projects: counted('Projekt', 'Projekte'),
  readings: counted('Lesung', 'Lesungen'),
  rows: counted('Zeile', 'Zeilen'),
  runs: counted('Lauf', 'Läufe'),
  settings: counted('Einstellung', 'Einstellungen'),
  sitemaps: counted('Sitemap', 'Sitemaps'),
  syncs: counted('Übertragung', 'Übertragungen'),
  times: counted('Mal', 'Mal'),
  urls: counted('URL', 'URLs'),
  words: counted('Wort', 'Wörter'),
};
