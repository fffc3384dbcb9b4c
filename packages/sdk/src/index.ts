export { Tidemark } from './client.ts';
export type { ClientOptions, Fetch } from './core.ts';
export { type ErrorCode, TidemarkError } from './errors.ts';
export type * from './generated/contract.ts';
export { Batch, Crawl, type JobEvent, type JobState, type PageList, type WaitOptions } from './job.ts';
export type { Item, ListRoute } from './paging.ts';
export type { ProjectHandle, Projects } from './resources/projects.ts';
export type { Body, CallOptions, Init, Query, Result, Route } from './routes.ts';
export { type VerifyOptions, verifyWebhook, type WebhookMessage } from './webhook.ts';
