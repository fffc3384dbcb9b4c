/** How many pages a site is estimated to have. */
export const coverage = {
  title: 'Pages of the site',
  estimate: (pages: string, low: string, high: string, share: string) =>
    `about ${pages} pages (${low} to ${high}), ${share} read`,
  found: (found: string, read: string) => `${found} found, ${read} read`,
  none: {
    too_few: 'No estimate: fewer than 30 pages were found.',
    one_source: 'No estimate: one source lists all pages, so that nothing shows what it misses.',
    no_overlap: 'No estimate: the sources list different pages.',
    sources_identical: 'No estimate: the sources list exactly the same pages, so that nothing shows what they miss.',
  },
  hint: 'Estimated from the overlap of links, sitemaps, feeds and the list. Pages that none of them can reveal are not in it.',
  sections: 'Sections',
  others: 'other sections',
} as const;
