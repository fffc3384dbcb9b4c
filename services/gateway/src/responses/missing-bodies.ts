/** Bodies that a search reads. */
export type SearchedBody = 'html' | 'markdown';

const WHY: Readonly<Record<SearchedBody, string>> = {
  html: 'html of every page is stored by runs with config.store_html "always"; by default only that of the home page is',
  markdown: 'they were not read, or config.formats leaves out markdown',
};

/** States how many pages a search leaves out because a body of them is not stored, and which setting stores it. null: none. */
export const missingBodiesNote = (pages: number, body: SearchedBody): string | null =>
  pages === 0
    ? null
    : `${pages} ${pages === 1 ? 'page has' : 'pages have'} no stored ${body} and ${pages === 1 ? 'is' : 'are'} not searched: ${WHY[body]}`;
