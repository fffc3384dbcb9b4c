export type { ContinuedJobs } from './continued-jobs.ts';
export type { FirecrawlAnswer } from './firecrawl-call.ts';
export {
  answerRequest,
  checkQuery,
  FIRECRAWL_PATH,
  type FirecrawlRequest,
  firecrawlRoutes,
  repeatableBody,
  type VersionedRoute,
} from './firecrawl-interface.ts';
export { toUuid } from './job-id.ts';
export { type MappingTable, mappingTables } from './mapping-tables.ts';
export { refusePath } from './not-available.ts';
export { Refusal, toErrorAnswer } from './refusal.ts';
export type { RestCall, RestParts, RestResponse, RouteId } from './rest-call.ts';
