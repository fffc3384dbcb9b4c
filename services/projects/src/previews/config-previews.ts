import {
  type DryRunResponse,
  type PreviewSourcesResponse,
  CrawlServiceService as Rpc,
  type SourcesResponse,
} from '@tidemark/contracts/crawl/v1/crawl';
import type { CallOptions, Peer } from '@tidemark/service';
import type { ConfigValues } from '../domain/config-values.ts';
import type { Project } from '../domain/project.ts';
import { masking } from '../project-config/masking.ts';
import { type ResolvedConfig, resolveConfig, withUnsaved } from '../project-config/resolve-config.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { ProjectStore } from '../store/project-store.ts';

/** Sample URLs in each part of a dry-run's result. */
const SAMPLES = 20;
/** Deadlines, ms: crawl evaluates up to two hundred thousand URLs; a preview of sources ends by itself after 15 s. */
const EVALUATE_DEADLINE_MS = 30_000;
const READ_SOURCES_DEADLINE_MS = 22_000;

/** A project with unsaved changes merged in, and the resolved config. */
export interface ResolvedProject extends ResolvedConfig {
  readonly project: Project;
}

/** Shows what a project's config would do, before a run does it. Crawl evaluates it; unsaved changes are not stored. */
export class ConfigPreviews {
  readonly #projects: Pick<ProjectStore, 'get'>;
  readonly #crawl: Peer;

  constructor(projects: Pick<ProjectStore, 'get'>, crawl: Peer) {
    this.#projects = projects;
    this.#crawl = crawl;
  }

  /** Resolves the saved config with unsaved changes merged in. @throws AppError not_found, validation, too_large */
  async resolve({ caller }: RequestContext, projectId: string, change: ConfigValues): Promise<ResolvedProject> {
    const project = await this.#projects.get(caller, projectId);
    const config = withUnsaved(project.config, change, masking);
    return { project: { ...project, config }, ...resolveConfig(config) };
  }

  /** @throws AppError not_found, validation, too_large */
  async dryRun(
    context: RequestContext,
    projectId: string,
    change: ConfigValues,
    signal: AbortSignal,
  ): Promise<DryRunResponse> {
    const { project, scope, options } = await this.resolve(context, projectId, change);
    const request = { projectId, seed: project.seed, scope, options: withoutSecrets(options), samples: SAMPLES };
    return this.#crawl.call(Rpc.dryRun, request, context, within(EVALUATE_DEADLINE_MS, signal));
  }

  /** @throws AppError not_found */
  async sources(
    context: RequestContext,
    projectId: string,
    signal: AbortSignal,
  ): Promise<{ readonly seed: string; readonly scope: ResolvedConfig['scope']; readonly found: SourcesResponse }> {
    const { project, scope } = await this.resolve(context, projectId, {});
    const { seed } = project;
    const options = within(EVALUATE_DEADLINE_MS, signal);
    const found = await this.#crawl.call(Rpc.sources, { projectId, seed, scope }, context, options);
    return { seed, scope, found };
  }

  /** @throws AppError not_found, validation, too_large */
  async previewSources(
    context: RequestContext,
    projectId: string,
    change: ConfigValues,
    signal: AbortSignal,
  ): Promise<PreviewSourcesResponse> {
    const { project, scope, options } = await this.resolve(context, projectId, change);
    const request = { projectId, seed: project.seed, scope, options: withoutSecrets(options) };
    return this.#crawl.call(Rpc.previewSources, request, context, within(READ_SOURCES_DEADLINE_MS, signal));
  }
}

/** Crawl reads the price of a page from the options only. */
const withoutSecrets = (options: ResolvedConfig['options']): ResolvedConfig['options'] => ({
  ...options,
  headers: {},
  cookies: {},
});

/** Options of a call that ends with the client's request. */
const within = (deadlineMs: number, signal: AbortSignal): CallOptions => ({ deadlineMs, signal });
