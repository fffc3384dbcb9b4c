import { crawlRoutes } from './routes/crawl.ts';
import { exitRoutes } from './routes/exits.ts';
import { mapRoutes } from './routes/map.ts';
import { metaRoutes } from './routes/meta.ts';
import { playgroundRoutes } from './routes/playground.ts';
import { projectRoutes } from './routes/projects.ts';
import { runRoutes } from './routes/runs.ts';
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
export { PAGE_FLAGS } from './routes/runs.ts';
export { PROJECT_EVENTS } from './schemas/advanced-keys.ts';
export { CONFIG_GROUPS, CONFIG_KEYS, type ConfigGroup, type ConfigKey, configEntries } from './schemas/config.ts';
export type { Action, WaitFor } from './schemas/config-values.ts';
export { JOB_STATUSES, JobEnvelope, type JobSummary } from './schemas/job.ts';
export { isMaskedUrl, maskUrl } from './schemas/masked-url.ts';
export { ERROR_CODES, FORMATS, type Format, PageRow, VERDICT_MEANINGS, VERDICTS } from './schemas/page.ts';
export { ErrorBody } from './schemas/parts.ts';
export { PROJECT_HEALTHS, Project, type ProjectSummary } from './schemas/project.ts';
export { type LinkSet, type LinksQuery, RUN_TRIGGERS, type RunEnvelope, type RunSummary } from './schemas/run.ts';
export type { CrawlConfig, ScrapeConfig, ScrapeOptions } from './schemas/scrape-config.ts';
export { type CaptureOptions, type CaptureWish, toCaptureOptions } from './settled/capture-options.ts';
export { toProjectRun } from './settled/project-run.ts';
export { type RunScope, toCaptureWish, toScope } from './settled/run-scope.ts';
export { readPart } from './validate.ts';

/** Every route of the interface. One that isn't here doesn't exist. */
export const routes = {
  ...scrapeRoutes,
  ...crawlRoutes,
  ...mapRoutes,
  ...projectRoutes,
  ...runRoutes,
  ...playgroundRoutes,
  ...workspaceRoutes,
  ...exitRoutes,
  ...metaRoutes,
} as const;
