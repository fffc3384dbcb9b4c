import type { Texts } from '../../language/texts.ts';
import type { coverage as english } from '../en/coverage.ts';

export const coverage: Texts<typeof english> = {
  title: 'Seiten der Website',
  estimate: (pages, low, high, share) => `etwa ${pages} Seiten (${low} bis ${high}), ${share} gelesen`,
  found: (found, read) => `${found} gefunden, ${read} gelesen`,
  none: {
    too_few: 'Keine Schätzung: Weniger als 30 Seiten wurden gefunden.',
    one_source: 'Keine Schätzung: Eine einzige Quelle nennt alle Seiten, sodass nichts zeigt, was ihr fehlt.',
    no_overlap: 'Keine Schätzung: Die Quellen nennen verschiedene Seiten.',
    sources_identical:
      'Keine Schätzung: Die Quellen nennen genau dieselben Seiten, sodass nichts zeigt, was ihnen fehlt.',
  },
  hint: 'Geschätzt aus der Überschneidung von Links, Sitemaps, Feeds und Liste. Seiten, auf die keine dieser Quellen hinweist, sind nicht enthalten.',
  sections: 'Bereiche',
  others: 'andere Bereiche',
};
