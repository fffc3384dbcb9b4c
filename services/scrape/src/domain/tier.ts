/** The kind of engine that fetches a page. */
export type Tier = 'http' | 'browser';
