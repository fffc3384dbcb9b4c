import type { Entry } from './entry.ts';

/** An event for notifications. */
export type ChangeEvent =
  | {
      readonly event: 'page.changed';
      readonly url: string;
      readonly kind: 'added' | 'removed' | 'modified';
      readonly wordsAdded: number;
      readonly wordsRemoved: number;
      readonly section: string;
      readonly volatile: boolean;
      /** Names of the changed fields. */
      readonly fields: readonly string[];
      readonly movedFrom?: string;
      readonly returned?: true;
    }
  | { readonly event: 'page.blocked'; readonly url: string; readonly before: string; readonly verdict: string }
  | {
      readonly event: 'field.canonical';
      readonly url: string;
      readonly field: 'canonical' | 'robots' | 'title';
      readonly from: string | null;
      readonly to: string | null;
      /** Number of pages with the same change; 1: only this page. */
      readonly pages: number;
    }
  | { readonly event: 'page.orphaned' | 'page.linked'; readonly url: string };

/**
 * Derives the notification events of an entry. A page that was already blocked gives no event; a folded change gives
 * one event for all its pages.
 */
export function changeEventsOf(entry: Entry): ChangeEvent[] {
  return [...pageChanged(entry), ...pageBlocked(entry), ...fieldCanonical(entry), ...linksChanged(entry)];
}

function pageChanged(entry: Entry): ChangeEvent[] {
  const { kind, url, wordsAdded, wordsRemoved, section, movedFrom, returned } = entry;
  if (kind !== 'added' && kind !== 'removed' && kind !== 'modified') return [];
  return [
    {
      event: 'page.changed',
      url,
      kind,
      wordsAdded,
      wordsRemoved,
      section,
      volatile: entry.volatile,
      fields: entry.fields.flatMap(({ name, isVolatile }) => (isVolatile === true ? [] : name)),
      ...(movedFrom === undefined ? {} : { movedFrom }),
      ...(returned === undefined ? {} : { returned }),
    },
  ];
}

/** A refused page stays one until it is read again, whatever its responses in between. */
function pageBlocked({ url, turnedUnreadable, verdicts: [before, verdict] }: Entry): ChangeEvent[] {
  return turnedUnreadable === true && isBlocked(verdict) ? [{ event: 'page.blocked', url, before, verdict }] : [];
}

function fieldCanonical({ url, fields, template }: Entry): ChangeEvent[] {
  return fields.flatMap(({ name, from = null, to = null }): ChangeEvent[] => {
    if (name !== 'canonical' && name !== 'robots' && name !== 'title') return [];
    return [{ event: 'field.canonical', url, field: name, from, to, pages: template?.pages ?? 1 }];
  });
}

function linksChanged({ url, links }: Entry): ChangeEvent[] {
  if (links === undefined) return [];
  return [{ event: links === 'orphaned' ? 'page.orphaned' : 'page.linked', url }];
}

/** NOT_FOUND means removed, not blocked. */
const isBlocked = (verdict: string): boolean => verdict.startsWith('blocked') && verdict !== 'blocked: NOT_FOUND';
