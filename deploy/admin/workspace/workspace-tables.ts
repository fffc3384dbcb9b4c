/** How the rows of a table belong to workspaces. */
export type Belongs =
  /** By a column with the id of the workspace. */
  | { readonly by: 'column'; readonly column: string }
  /** By a column that names a row of another table, which is listed above. */
  | { readonly by: 'parent'; readonly column: string; readonly parent: string; readonly key: string };

/** A table with rows that an export of a workspace contains. A table comes after those it refers to. */
export interface WorkspaceTable {
  readonly schema: string;
  readonly table: string;
  readonly belongs: Belongs;
  /** Column with a number from a sequence, which identifies rows of one installation only: an import gives them numbers of its own. */
  readonly numbered?: string;
  /** Column that refers to the number of another row of the table. */
  readonly refersToOwn?: string;
}

const OWN: Belongs = { by: 'column', column: 'workspace_id' };
const of = (parent: string, key: string, column: string): Belongs => ({ by: 'parent', column, parent, key });
const OF_PROJECT = of('projects.projects', 'id', 'project_id');

const tables = (schema: string, rules: Readonly<Record<string, Belongs>>): WorkspaceTable[] =>
  Object.entries(rules).map(([table, belongs]) => ({ schema, table, belongs }));

/** What an export contains, in the order in which it is inserted. */
export const WORKSPACE_TABLES: readonly WorkspaceTable[] = [
  ...tables('identity', {
    workspaces: { by: 'column', column: 'id' },
    api_keys: OWN,
    audit: OWN,
    requests: OWN,
    acting: { by: 'column', column: 'child_id' },
  }),
  ...tables('projects', {
    projects: OWN,
    config_versions: OF_PROJECT,
    feed_links: OWN,
    due_runs: OWN,
    idempotency_keys: OWN,
  }),
  ...tables('scrape', {
    jobs: OWN,
    batch_pages: OWN,
    logins: OWN,
    login_runs: of('scrape.logins', 'id', 'login_id'),
    idempotency_keys: OWN,
    extractions: OWN,
    extraction_budgets: OWN,
  }),
  { schema: 'crawl', table: 'runs', belongs: OWN, numbered: 'no', refersToOwn: 'earlier_no' },
  ...tables('crawl', {
    run_details: of('crawl.runs', 'no', 'run_no'),
    run_log: of('crawl.runs', 'no', 'run_no'),
    frontier: of('crawl.runs', 'no', 'run_no'),
    deleted_projects: OWN,
    idempotency_keys: OWN,
  }),
  ...tables('map', {
    jobs: OWN,
    files: OWN,
    idempotency_keys: OWN,
    snapshots: OWN,
    diffs: of('map.snapshots', 'id', 'snapshot_id'),
  }),
  ...tables('archive', { pages: OWN, discarded_runs: OWN, project_histories: OWN }),
  { schema: 'archive', table: 'runs', belongs: OWN, numbered: 'no' },
  ...tables('archive', {
    recorded_pages: OWN,
    run_pages: of('archive.runs', 'no', 'run_no'),
    run_words: of('archive.runs', 'no', 'run_no'),
  }),
  ...tables('diff', {
    records: OWN,
    entries: OWN,
    alert_matches: OWN,
    ignored_blocks: OWN,
    reviews: OF_PROJECT,
    known_pages: OF_PROJECT,
    aliases: OF_PROJECT,
    anchors: OF_PROJECT,
    templates: OF_PROJECT,
    recaptured_pages: OF_PROJECT,
    volatility_jobs: OWN,
    broken_runs: OWN,
  }),
  ...tables('export', {
    connections: OWN,
    destinations: OWN,
    syncs: OWN,
    sync_parts: of('export.syncs', 'id', 'sync_id'),
    project_runs: OWN,
  }),
  ...tables('delivery', {
    receivers: OWN,
    deliveries: OWN,
    attempts: of('delivery.deliveries', 'id', 'delivery_id'),
    run_notifications: OWN,
    held_alerts: OWN,
    watches: OWN,
    notices: OWN,
    dismissed_notices: of('delivery.notices', 'id', 'notice_id'),
  }),
];

const ACCOUNT = 'people have accounts at an installation; members are matched by their addresses';
const MONEY = 'credits, payments and documents belong to the installation that sold them';
const MOMENT = 'state of work in progress, which an export does not contain';
const SHARED = 'belongs to no workspace';

/** Tables that an export leaves out, each with the reason. `schema.*` names a whole schema, `*.table` the table of every service. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  'identity.users': ACCOUNT,
  'identity.memberships': ACCOUNT,
  'identity.saved_views': ACCOUNT,
  'identity.sessions': ACCOUNT,
  'identity.factors': ACCOUNT,
  'identity.external_identities': ACCOUNT,
  'identity.passkeys': ACCOUNT,
  'identity.recovery_codes': ACCOUNT,
  'identity.one_time_tokens': ACCOUNT,
  'identity.invites': 'links of invitations lead to the installation that made them',
  'identity.login_failures': MOMENT,
  'identity.child_requests': MOMENT,
  'identity.welcome_grants': MONEY,
  'billing.*': MONEY,
  'crawl.held_hosts': MOMENT,
  'scrape.host_fingerprints': SHARED,
  'scrape.recorders': MOMENT,
  'diff.readings': MOMENT,
  'diff.word_changes': 'counted again on request',
  'diff.page_blames': 'computed again on request',
  'diff.releases': SHARED,
  'diff.deleted_projects': MOMENT,
  'delivery.deleted_projects': MOMENT,
  '*.blob_candidates': 'an imported body has rows that reference it',
  '*.workspace_states': MOMENT,
  '*.outbox': MOMENT,
  '*._prisma_migrations': SHARED,
};

/** Returns whether a table is left out of exports. */
export const isLeftOut = (schema: string, table: string): boolean =>
  [`${schema}.${table}`, `${schema}.*`, `*.${table}`].some((name) => Object.hasOwn(LEFT_OUT, name));

/** Work that an export does not contain: statements that count it for the workspaces `$1`, by what it is. */
export const IN_PROGRESS: Readonly<Record<string, string>> = {
  'scrapes and batches': `SELECT count(*) FROM scrape.jobs WHERE workspace_id = ANY ($1) AND status IN ('queued', 'running')`,
  'crawls and runs': `SELECT count(*) FROM crawl.runs WHERE workspace_id = ANY ($1) AND (status = 'queued' OR (status = 'running' AND NOT paused))`,
  maps: `SELECT count(*) FROM map.jobs WHERE workspace_id = ANY ($1) AND status IN ('queued', 'running')`,
  syncs: `SELECT count(*) FROM export.syncs WHERE workspace_id = ANY ($1) AND status IN ('queued', 'running')`,
  messages: `SELECT count(*) FROM delivery.deliveries WHERE workspace_id = ANY ($1) AND status IN ('pending', 'delivering')`,
  records: `SELECT count(*) FROM diff.records WHERE workspace_id = ANY ($1) AND status = 'pending'`,
};
