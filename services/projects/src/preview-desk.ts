import {
  type DryRunResponse,
  type PreviewSourcesResponse,
  CrawlServiceService as Rpc,
  type Scope,
  type SourcesResponse,
} from '@tidemark/contracts/crawl/v1/crawl';
import type { CaptureOptions } from '@tidemark/contracts/scrape/v1/scrape';
import type { CallOptions, Peer } from '@tidemark/service';
import { type ConfigValues, type Masking, parseConfig } from './domain/config-values.ts';
import type { Project } from './domain/project.ts';
import { notFound } from './not-found.ts';
import type { Asked } from './run-starter.ts';
import { type Settle, withUnsaved } from './settle.ts';
import type { ProjectStore } from './store/project-store.ts';

/** Addresses told for each answer of a dry-run. */
const SAMPLES = 20;
/** Milliseconds: two hundred thousand addresses are judged within, and feeds are read. */
const JUDGED_WITHIN_MS = 30_000;
const READ_WITHIN_MS = 65_000;

export interface PreviewDeskDeps {
  readonly projects: ProjectStore;
  readonly masking: Masking;
  readonly settle: Settle;
  readonly crawl: Peer;
}

/** A project's config as a run would go by it, changes that were not saved among it. */
export interface Settled {
  readonly project: Project;
  readonly scope: Scope;
  readonly options: CaptureOptions;
}

/** What a project's config would do, before a run does it: crawl judges, here it is said by what. */
export class PreviewDesk {
  readonly #deps: PreviewDeskDeps;

  constructor(deps: PreviewDeskDeps) {
    this.#deps = deps;
  }

  /** The saved config with changes merged into it that are not kept. @throws AppError not_found, validation, too_large */
  async settle({ caller }: Asked, projectId: string, configJson: string): Promise<Settled> {
    const { projects, masking, settle } = this.#deps;
    const change: ConfigValues = parseConfig(configJson);
    const project = await projects.find(caller, projectId);
    if (project === undefined) throw notFound();
    const config = withUnsaved(project.config, change, masking);
    return { project: { ...project, config }, ...settle(config) };
  }

  /** @throws AppError not_found, validation, too_large */
  async dryRun(asked: Asked, projectId: string, configJson: string, signal: AbortSignal): Promise<DryRunResponse> {
    const { project, scope } = await this.settle(asked, projectId, configJson);
    const question = { projectId, seed: project.seed, scope, samples: SAMPLES };
    return this.#deps.crawl.call(Rpc.dryRun, question, asked, within(JUDGED_WITHIN_MS, signal));
  }

  /** @throws AppError not_found */
  async sources(
    asked: Asked,
    projectId: string,
    signal: AbortSignal,
  ): Promise<{ readonly seed: string; readonly scope: Scope; readonly found: SourcesResponse }> {
    const { project, scope } = await this.settle(asked, projectId, '');
    const { seed } = project;
    const options = within(JUDGED_WITHIN_MS, signal);
    return { seed, scope, found: await this.#deps.crawl.call(Rpc.sources, { projectId, seed, scope }, asked, options) };
  }

  /** @throws AppError not_found, validation, too_large */
  async previewSources(
    asked: Asked,
    projectId: string,
    configJson: string,
    signal: AbortSignal,
  ): Promise<PreviewSourcesResponse> {
    const { project, scope } = await this.settle(asked, projectId, configJson);
    const question = { projectId, seed: project.seed, scope };
    return this.#deps.crawl.call(Rpc.previewSources, question, asked, within(READ_WITHIN_MS, signal));
  }
}

/** What nobody waits for any more is not gone on with. */
const within = (deadlineMs: number, signal: AbortSignal): CallOptions => ({ deadlineMs, signal });
