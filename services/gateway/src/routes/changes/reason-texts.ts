/** Sentences for the reasons of withheld and unverified pages. */
const REASON_TEXTS: ReadonlyMap<string, string> = new Map([
  ['not_reached', 'The run did not reach the page, so nothing is known about it.'],
  ['robots_changed', 'robots.txt forbids the page now. It may be unchanged.'],
  ['unreadable', 'The page could not be read in this run. It is compared when it can be read again.'],
  ['unreadable_at_second_look', 'The run did not reach the page, and a second request could not read it.'],
  [
    'first_reading',
    'The page was refused in all earlier runs and was read now for the first time. The next run compares it with this reading.',
  ],
  ['baseline_incomplete', 'The page may be new, or the earlier run, which was incomplete, may have missed it.'],
  ['came_into_scope', 'The page is not new: the configuration of the earlier run excluded it.'],
  ['seen_gone_once', 'The page was missing once. It is reported as removed if the next run does not find it either.'],
  ['looks_gone', 'The page shows an error text. It is reported as removed if the next run finds the same.'],
  ['removals_withheld', 'Too many pages disappeared at once, or the site failed. Removals wait for the next run.'],
  [
    'redirected_elsewhere',
    'The URL redirects to another page. It is reported as removed if the next run finds the same.',
  ],
  [
    'configuration_changed',
    'The configuration changed between both readings, so that words that differ may come from the site or from the new configuration. The next run compares the page with this reading.',
  ],
  [
    'rules_changed',
    'The reader was updated between both readings, so that words that differ may come from the site or from the update. The next run compares the page with this reading.',
  ],
  [
    'method_changed',
    'Another engine read the page, so that words that differ may come from the site or from the engine. Later runs compare the page with a reading of the same engine.',
  ],
  [
    'language_changed',
    'The page was served in another language, so that words that differ may be an edit or a translation. It is compared with the last reading in the same language, or with this one after three runs in a row.',
  ],
  ['shell', 'The page had no content yet when it was read: only the frame of an application.'],
  ['content_lost', 'The earlier reading is no longer stored. The next run compares the page.'],
]);

/** Returns the sentence for a reason; null for none and for an unknown one. */
export const explainReason = (reason: string): string | null => REASON_TEXTS.get(reason) ?? null;
