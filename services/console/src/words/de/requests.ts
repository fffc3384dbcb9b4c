import type { Catalogue } from '../en/catalogue.ts';

export const requests: Catalogue['requests'] = {
  title: 'Anfrageprotokoll',
  tabs: { all: 'Anfragen', failures: 'Fehler' },
  newest: 'Anfragen der API-Schlüssel, neueste zuerst',
  grouped: 'Fehler nach Route, Status und Code',
  filter: 'Filter',
  filterHint: 'Eine Anfrage-ID, ein Status wie 404 oder 4xx, ein Fehlercode, eine Route oder die ID eines Schlüssels',
  none: 'Keine Anfrage',
  noneHint:
    'Anfragen der API-Schlüssel erscheinen hier nach Sekunden und bleiben eine Woche. Inhalte werden nie gespeichert.',
  noFailure: 'Keine fehlgeschlagene Anfrage',
  noFailureHint: 'In der letzten Woche ist keine Anfrage fehlgeschlagen.',
  noRoute: 'keine passende Route',
  columns: {
    at: 'Zeit',
    status: 'Status',
    request: 'Anfrage',
    key: 'Schlüssel',
    duration: 'Dauer',
    credits: 'Credits',
    id: 'Anfrage-ID',
    count: 'Anzahl',
    error: 'Route und Fehler',
    last: 'Zuletzt',
  },
};
