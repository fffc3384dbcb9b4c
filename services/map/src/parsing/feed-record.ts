import type { Sink } from './sink.ts';
import type { XmlRecord } from './xml-record.ts';

/** Names of date elements. The first that is present is taken as the date of the last change. */
const DATES = ['updated', 'modified', 'published', 'pubdate', 'issued', 'created', 'date'];

/** Collects an `item` of RSS or RDF, or an `entry` of Atom. */
export class FeedRecord implements XmlRecord {
  #link: { href: string; base: string | undefined } | undefined;
  #guid = '';
  #guidIsLink = false;
  #about: string;
  #base: string | undefined;
  readonly #dates = new Map<string, string>();

  constructor(attributes: Readonly<Record<string, string>>) {
    this.#about = attributes['rdf:about'] ?? '';
  }

  openChild(name: string, attributes: Readonly<Record<string, string>>, base: string | undefined): boolean {
    this.#base = base;
    if (name === 'link') {
      const href = attributes['href'];
      // RFC 4287 4.2.7.2: `alternate` is the page itself, and the default.
      const isPage = (attributes['rel'] ?? 'alternate') === 'alternate';
      if (href !== undefined && isPage) this.#link ??= { href, base };
      return href === undefined;
    }
    if (name === 'guid') this.#guidIsLink = attributes['isPermaLink'] !== 'false';
    return name === 'guid' || DATES.includes(name);
  }

  text(name: string, value: string): void {
    if (value === '' || name === '') return;
    if (name === 'link') this.#link ??= { href: value, base: this.#base };
    else if (name === 'guid') this.#guid = value;
    else this.#dates.set(name, value);
  }

  finish(sink: Sink): boolean {
    const fallback = this.#guidIsLink && /^https?:/i.test(this.#guid) ? this.#guid : this.#about;
    const { href, base } = this.#link ?? { href: fallback, base: undefined };
    if (href === '') return true;
    const date = DATES.map((name) => this.#dates.get(name)).find((date) => date !== undefined);
    return sink.entry(href, toIsoDate(date ?? ''), '', base);
  }
}

/** Converts a date, which RSS writes in RFC 822 format, to ISO 8601. Returns an empty string if it is not a date. */
function toIsoDate(date: string): string {
  if (/^\d{4}(?:-\d\d)?(?:-\d\d)?$/.test(date)) return date;
  const at = Date.parse(date);
  return Number.isNaN(at) ? '' : new Date(at).toISOString();
}
