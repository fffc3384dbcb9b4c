import type { Sink } from './sink.ts';

/** Collects the fields of one `url`, `sitemap`, `item` or `entry` element. */
export interface XmlRecord {
  /** Called when a child element opens. @returns true if its text is needed */
  openChild(name: string, attributes: Readonly<Record<string, string>>, base: string | undefined): boolean;
  /** Called with the text of such a child, and at the end with the record's own text under an empty name. */
  text(name: string, value: string): void;
  /** Passes the record to the sink. @returns false if the sink accepts no more */
  finish(sink: Sink): boolean;
}
