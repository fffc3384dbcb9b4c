import type { FieldNames } from './field-names.ts';
import type { RestCall } from './rest-call.ts';
import type { Version } from './scrape-options.ts';
import type { Settings } from './translate.ts';

/** A request under the path of Firecrawl. */
export interface FirecrawlCall {
  readonly version: Version;
  /** URL of this version, without a slash at the end. */
  readonly baseUrl: string;
  readonly workspaceId: string;
  /** Identifies requests of one caller with one body, whatever its `timeout`. */
  readonly fingerprint: string;
  readonly idempotencyKey: string;
  readonly id: string;
  readonly cursor: string;
  /** Id of a check of a monitor; empty elsewhere. */
  readonly check: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** Returns whether the client has gone. */
  isGone(): boolean;
  readonly call: RestCall;
}

export interface FirecrawlResponse {
  readonly status: number;
  readonly body: Settings;
}

export const ok = (body: Settings): FirecrawlResponse => ({ status: 200, body });

/** A route of Firecrawl's interface. */
export interface FirecrawlRoute {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  /** Relative to the version, with the parameters `:id` and `:check`. */
  readonly path: string;
  /** The only version that has it; by default both. */
  readonly version?: Version;
  /** Names of its query parameters; others are refused. */
  readonly query?: readonly string[];
  /** Names of the fields of its body, for errors. */
  readonly names?: (version: Version) => FieldNames;
  readonly respond: (call: FirecrawlCall) => Promise<FirecrawlResponse>;
}
