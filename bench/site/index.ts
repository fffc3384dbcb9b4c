export type { SiteStats } from './counters.ts';
export { type Site, startSite } from './start-site.ts';
export type { TruePage } from './truth.ts';
