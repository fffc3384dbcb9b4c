import { crawlRoutes } from './routes/crawl.ts';
import { exitRoutes } from './routes/exits.ts';
import { mapRoutes } from './routes/map.ts';
import { metaRoutes } from './routes/meta.ts';
import { playgroundRoutes } from './routes/playground.ts';
import { scrapeRoutes } from './routes/scrape.ts';
import { workspaceRoutes } from './routes/workspace.ts';

export { buildOpenApi } from './openapi.ts';
export type { AnyRoute, Method, Route, RouteScope } from './route.ts';
export { CRAWL_EVENTS, type CrawlEnvelope } from './routes/crawl.ts';
export {
  MAP_FILE_VERDICTS,
  MAP_METHODS,
  MapEnvelope,
  type MapFile,
  type MapRow,
} from './routes/map.ts';
export type { Playground } from './routes/playground.ts';
export { CONFIG_KEYS } from './schemas/config.ts';
export type { Action, WaitFor } from './schemas/config-values.ts';
export { JOB_STATUSES, JobEnvelope, type JobSummary } from './schemas/job.ts';
export { ERROR_CODES, FORMATS, type Format, PageRow, VERDICT_MEANINGS, VERDICTS } from './schemas/page.ts';
export { ErrorBody } from './schemas/parts.ts';
export type { CrawlConfig, ScrapeConfig, ScrapeOptions } from './schemas/scrape-config.ts';
export { readPart } from './validate.ts';

/** Every route of the interface. One that isn't here doesn't exist. */
export const routes = {
  ...scrapeRoutes,
  ...crawlRoutes,
  ...mapRoutes,
  ...playgroundRoutes,
  ...workspaceRoutes,
  ...exitRoutes,
  ...metaRoutes,
} as const;
