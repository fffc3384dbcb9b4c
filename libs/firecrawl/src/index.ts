export type { ContinuedJobs } from './continued-jobs.ts';
export type { FirecrawlResponse } from './firecrawl-call.ts';
export {
  checkQuery,
  FIRECRAWL_PATH,
  type FirecrawlRequest,
  firecrawlRoutes,
  repeatableBody,
  respondTo,
  type VersionedRoute,
} from './firecrawl-interface.ts';
export { toUuid } from './job-id.ts';
export { type MappingTable, mappingTables } from './mapping-tables.ts';
export { refusePath } from './not-available.ts';
export { Refusal, toErrorResponse } from './refusal.ts';
export type { RestCall, RestParts, RestResponse, RouteId } from './rest-call.ts';
