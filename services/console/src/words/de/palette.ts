import type { Texts } from '../../language/texts.ts';
import type { palette as english } from '../en/palette.ts';

export const palette: Texts<typeof english> = {
  title: 'Gehe zu Seite, Projekt oder Einstellung',
  input: 'Seite, Projekt, Einstellung, Änderung, Dokumentation oder Wörter einer Seite',
  empty: 'Nichts heißt so.',
  pages: 'Seiten',
  projects: 'Projekte',
  actions: 'Aktionen',
  settings: 'Einstellungen',
  views: 'Gespeicherte Ansichten',
  foundPages: 'Seiten des Projekts',
  foundChanges: 'Änderungen des letzten Laufs',
  foundContent: 'Im Inhalt',
  searching: 'Die Seiten des Projekts werden durchsucht…',
  saveView: (name) => `Diese Seite als Ansicht „${name}“ speichern`,
  viewSaved: (name) => `Die Ansicht „${name}“ ist gespeichert. Die Palette öffnet sie.`,
  docs: 'Dokumentation öffnen',
  foundDocs: 'Dokumentation',
  searchDocs: (text) => `„${text}“ in der Dokumentation suchen`,
  newProject: 'Neue Website beobachten',
  theme: 'Farbschema wechseln',
  signOut: 'Abmelden',
  hint: 'Pfeiltasten wählen, Eingabe öffnet, Escape schließt.',
};
