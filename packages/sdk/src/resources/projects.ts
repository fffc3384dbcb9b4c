import type { Core } from '../core.ts';
import { items } from '../paging.ts';
import type { Body, CallOptions, Query, Result } from '../routes.ts';
import { type ChangeQuery, type RecordOptions, waitForRecord } from '../wait-for-record.ts';

/** A project by its id. */
export class ProjectHandle {
  readonly id: string;
  readonly #core: Core;
  readonly #path: { readonly id: string };

  constructor(core: Core, id: string) {
    this.#core = core;
    this.id = id;
    this.#path = { id };
  }

  get = (options?: CallOptions) => this.#core.call('GET /projects/{id}', { path: this.#path, ...options });
  update = (body: Body<'PATCH /projects/{id}'>) => this.#core.call('PATCH /projects/{id}', { path: this.#path, body });
  delete = () => this.#core.call('DELETE /projects/{id}', { path: this.#path });
  copyConfig = (body: Body<'POST /projects/{id}/config/apply'>) =>
    this.#core.call('POST /projects/{id}/config/apply', { path: this.#path, body });
  dryRun = (body: Body<'POST /projects/{id}/dry-run'> = {}) =>
    this.#core.call('POST /projects/{id}/dry-run', { path: this.#path, body });
  sources = () => this.#core.call('GET /projects/{id}/sources', { path: this.#path });
  previewSources = (body: Body<'POST /projects/{id}/sources/preview'> = {}) =>
    this.#core.call('POST /projects/{id}/sources/preview', { path: this.#path, body });
  discovery = () => this.#core.call('GET /projects/{id}/discovery', { path: this.#path });
  discover = () => this.#core.call('POST /projects/{id}/discovery', { path: this.#path });
  run = (body: Body<'POST /projects/{id}/runs'> = {}) =>
    this.#core.call('POST /projects/{id}/runs', { path: this.#path, body });
  runs = (query: Query<'GET /projects/{id}/runs'> = {}) =>
    items(this.#core, 'GET /projects/{id}/runs', { path: this.#path, query });
  runOf = (run: string) => this.#core.call('GET /projects/{id}/runs/{run}', { path: { id: this.id, run } });
  cancelRun = (run: string) => this.#core.call('POST /projects/{id}/runs/{run}/cancel', { path: { id: this.id, run } });
  /** Yields the rows of a run, by default of the latest that has ended. */
  pages = (query: Query<'GET /projects/{id}/pages'> = {}) =>
    items(this.#core, 'GET /projects/{id}/pages', { path: this.#path, query });
  page = (url: string, query: Omit<Query<'GET /projects/{id}/pages/content'>, 'url'> = {}) =>
    this.#core.call('GET /projects/{id}/pages/content', { path: this.#path, query: { ...query, url } });
  /** Yields the versions of a page over time, newest first. */
  versions = (url: string, query: Omit<Query<'GET /projects/{id}/pages/versions'>, 'url'> = {}) =>
    items(this.#core, 'GET /projects/{id}/pages/versions', { path: this.#path, query: { ...query, url } });
  /** Returns when each block of a page appeared and was last edited. */
  blame = (url: string, query: Omit<Query<'GET /projects/{id}/pages/blame'>, 'url'> = {}) =>
    this.#core.call('GET /projects/{id}/pages/blame', { path: this.#path, query: { ...query, url } });
  /** Searches a part of the pages of a run. It is over when `cursor` is null. */
  search = (body: Body<'POST /projects/{id}/pages/search'>, options?: CallOptions) =>
    this.#core.call('POST /projects/{id}/pages/search', { path: this.#path, body, ...options });
  match = (selectors: string[]) =>
    this.#core.call('POST /projects/{id}/selectors/match', { path: this.#path, body: { selectors } });
  preview = (body: Body<'POST /projects/{id}/content/preview'> = {}) =>
    this.#core.call('POST /projects/{id}/content/preview', { path: this.#path, body });
  recrawl = (urls: string[]) =>
    this.#core.call('POST /projects/{id}/pages/recrawl', { path: this.#path, body: { urls } });
  /** Returns the change record with its first entries as it is now: its status is `making` for some seconds after the end of the run. */
  changes = (query: ChangeQuery = {}, options?: CallOptions) =>
    this.#core.call('GET /projects/{id}/changes', { path: this.#path, query, ...options });
  /** Waits for the change record of a run, by default of the newest full run that is done, and returns it with its first entries. */
  record = (query: ChangeQuery = {}, options: RecordOptions = {}) => waitForRecord(this.#core, this.id, query, options);
  /** Yields every entry of the change record of a run, by default of the newest full run that is done. Waits until the record is made. */
  async *changeEntries(query: ChangeQuery = {}, options: CallOptions = {}) {
    const { runId } = await this.record({ ...query, limit: 1 }, options);
    if (runId === null) return;
    yield* items(this.#core, 'GET /projects/{id}/changes', {
      path: this.#path,
      query: { ...query, run_id: runId },
      ...options,
    });
  }
  /** Yields the ignored changes of a record. */
  ignoredChanges = (query: Query<'GET /projects/{id}/changes/ignored'> = {}) =>
    items(this.#core, 'GET /projects/{id}/changes/ignored', { path: this.#path, query });
  /** Decides for good whether changes of the place of an ignored change are ignored or reported. */
  overrule = (ignored: string, ignore: boolean) =>
    this.#core.call('POST /projects/{id}/changes/ignored/{ignored}', {
      path: { id: this.id, ignored },
      body: { ignore },
    });
  /** Evaluates an alert rule over the stored changes, without saving it. */
  previewAlert = (body: Body<'POST /projects/{id}/alerts/preview'>) =>
    this.#core.call('POST /projects/{id}/alerts/preview', { path: this.#path, body });
  review = (change: string, reviewed = true) =>
    this.#core.call('POST /projects/{id}/changes/{change}/review', {
      path: { id: this.id, change },
      body: { reviewed },
    });
  compare = {
    words: (query: Query<'GET /projects/{id}/changes/page'>) =>
      this.#core.call('GET /projects/{id}/changes/page', { path: this.#path, query }),
    markup: (query: Query<'GET /projects/{id}/changes/markup'>) =>
      this.#core.call('GET /projects/{id}/changes/markup', { path: this.#path, query }),
    screenshots: (query: Query<'GET /projects/{id}/changes/screenshot'>) =>
      this.#core.call('GET /projects/{id}/changes/screenshot', { path: this.#path, query }),
  };
  webhook = () => this.#core.call('GET /projects/{id}/webhooks', { path: this.#path });
  /** Returns a response whose body is the file. */
  export = (
    query: Query<'GET /projects/{id}/export'>,
    options?: CallOptions,
  ): Promise<Result<'GET /projects/{id}/export'>> =>
    this.#core.call('GET /projects/{id}/export', { path: this.#path, query, ...options });
}

/** The projects of the workspace. */
export class Projects {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  of = (id: string) => new ProjectHandle(this.#core, id);
  list = (query: Query<'GET /projects'> = {}) => items(this.#core, 'GET /projects', { query });
  create = (body: Body<'POST /projects'>, options?: CallOptions) =>
    this.#core.call('POST /projects', { body, ...options });
  createMany = (body: Body<'POST /projects/batch'>) => this.#core.call('POST /projects/batch', { body });
  run = (ids: string[]) => this.#core.call('POST /projects/run', { body: { project_ids: ids } });
  /** Starts a run of each project with the tag. */
  runTagged = (tag: string) => this.#core.call('POST /projects/run', { body: { tag } });
}
