/** An id of each prefix for the examples. */
export const EXAMPLE_IDS: Readonly<Record<string, string>> = {
  ws: 'ws_01m821nn03esg9awwvvfjqjtgn',
  key: 'key_01m821nq8qesg9awx678g4tk06',
  prj: 'prj_01m821ntmkesg9awx9hrg5ayxg',
  job: 'job_01m821nx5jesg9awxhr00cxp12',
  run: 'run_01m821nzr6esg9awxz0g64cx16',
  cap: 'cap_01m821p20besg9awy79mvytmbm',
  lgn: 'lgn_01m821p8e3esg9awyk8rj35cy7',
  req: 'req_01m821pbfmesg9awyyx5413prj',
  whd: 'whd_01m821pd5eesg9awz1pfpjpt25',
  con: 'con_01m821pf4qesg9awzd71rjnj04',
  dst: 'dst_01m821pg7resg9awzd9v2k5t8c',
  syn: 'syn_01m821pgz3esg9awzm4w8x6n2q',
  ntc: 'ntc_01m821pjpzesg9awzp9m9gmh1a',
  aud: 'aud_01m821p0rhesg9awxt7c2m5k9e',
  usr: 'usr_01m821nw3tesg9awxc9b2k7q4d',
  ses: 'ses_01m821nwp9esg9awxe6m3v8r5f',
  psk: 'psk_01m821nwz4esg9awxk2h5t8w3c',
  ivt: 'ivt_01m821ny2hesg9awxs4d9t6w7g',
  chg: 'chg_k7x2mq4vhn3c9wza5r6tdy8pbe',
  fdl: 'fdl_01m821pk8zesg9awzr4w7n2c6h',
  feed: 'feed_k7x2mq4vhn3c9wza5r6tdy8pbe',
};

/** Prefix of the ids of each resource, by its last literal path segment. */
const BY_SEGMENT: Readonly<Record<string, string>> = {
  scrape: 'job',
  map: 'job',
  playground: 'job',
  crawl: 'run',
  runs: 'run',
  keys: 'key',
  children: 'ws',
  logins: 'lgn',
  connections: 'con',
  destinations: 'dst',
  syncs: 'syn',
  deliveries: 'whd',
  notifications: 'ntc',
  changes: 'chg',
  feeds: 'fdl',
  members: 'usr',
  invites: 'ivt',
  passkeys: 'psk',
  sessions: 'ses',
};

/** Prefix of the ids of each field that refers to another resource. */
const BY_FIELD: Readonly<Record<string, string>> = {
  request_id: 'req',
  projectId: 'prj',
  project_id: 'prj',
  project_ids: 'prj',
  template_project_id: 'prj',
  runId: 'run',
  run_id: 'run',
  run: 'run',
  baseline: 'run',
  baselineRunId: 'run',
  newestRunId: 'run',
  pageId: 'cap',
  page: 'cap',
  changeId: 'chg',
  templateRefs: 'chg',
  snapshotId: 'job',
  snapshot_id: 'job',
  connection_id: 'con',
  connectionId: 'con',
  destinationId: 'dst',
  projects: 'prj',
  login_id: 'lgn',
  savedBy: 'key',
  workspace_id: 'ws',
  keyId: 'key',
  subjectId: 'key',
  memberId: 'usr',
  ref: 'cap',
  parentId: 'ws',
  createdBy: 'usr',
  invitedBy: 'usr',
  reviewedBy: 'key',
};

/** Prefix of the field `id` in each schema. */
const BY_SCHEMA: Readonly<Record<string, string>> = {
  ApiKey: 'key',
  CreatedApiKey: 'key',
  Workspace: 'ws',
  Project: 'prj',
  RestoredProject: 'prj',
  ProjectSummary: 'prj',
  KeptCrawl: 'prj',
  JobEnvelope: 'job',
  JobSummary: 'job',
  MapEnvelope: 'job',
  Playground: 'job',
  CrawlEnvelope: 'run',
  RunEnvelope: 'run',
  RunSummary: 'run',
  RunDetail: 'run',
  PageRow: 'cap',
  CrawlPage: 'cap',
  StoredPage: 'cap',
  Change: 'chg',
  ReviewedChange: 'chg',
  Login: 'lgn',
  LoginSummary: 'lgn',
  LoginTest: 'lgn',
  Delivery: 'whd',
  AnsweredDelivery: 'whd',
  Connection: 'con',
  AnsweredConnection: 'con',
  Destination: 'dst',
  AnsweredDestination: 'dst',
  Sync: 'syn',
  AnsweredSync: 'syn',
  'Sync.source': 'run',
  'AnsweredSync.source': 'run',
  DestinationSync: 'syn',
  Notice: 'ntc',
  'Workspace.key': 'key',
  'Monitor.job': 'job',
  'Project.lastRun': 'run',
  'ProjectSummary.lastRun': 'run',
  'AppliedConfig.data': 'prj',
  FoundPage: 'cap',
  FeedLink: 'fdl',
  CreatedFeedLink: 'fdl',
  'Session.user': 'usr',
  'Session.workspace': 'ws',
  'Session.session': 'ses',
  Profile: 'usr',
  SessionItem: 'ses',
  Member: 'usr',
  'Members.data': 'usr',
  'Members.invite': 'ivt',
  Invite: 'ivt',
  RenamedWorkspace: 'ws',
  Child: 'ws',
  AuditEntry: 'aud',
  AnsweredChild: 'ws',
  ChildDetail: 'ws',
  'Workspace.member': 'usr',
  'Discovery.kept': 'job',
};

const withPrefix = (prefix: string | undefined): string | undefined =>
  prefix === undefined ? undefined : EXAMPLE_IDS[prefix];

/** Returns the value for a path parameter: the number or an id of the prefix that its description names, else of the resource before it in the path. */
export function exampleOfParameter(path: string, name: string, description: string): string | undefined {
  const number = /such as (\d+)/.exec(description)?.[1];
  if (number !== undefined) return number;
  const named = /such as ([a-z]+)_/.exec(description)?.[1];
  const segments = path.split('/');
  const before = segments[segments.indexOf(`{${name}}`) - 1] ?? '';
  return withPrefix(named ?? BY_SEGMENT[before]);
}

/** Returns the id for a field, if it holds one. `noun`: the last literal path segment, for an `id` outside of every named schema. */
export function exampleOfField(name: string, schemaName: string, noun: string): string | undefined {
  return withPrefix(name === 'id' ? (BY_SCHEMA[schemaName] ?? BY_SEGMENT[noun]) : BY_FIELD[name]);
}
