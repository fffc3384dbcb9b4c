/** The name of the operator in a credential. The operator may call every RPC: `npm start`, command-line tools and tests. */
export const OPERATOR = 'operator';

/** Methods of one proto service, each with the services that may call it. */
type Methods = Readonly<Record<string, readonly string[]>>;

/**
 * The services that may call each RPC, by proto service and method. A call by any other service is refused; an RPC without a service is
 * for the operator. `npm run check` compares this table with the calls in the code.
 */
const CALLERS: Readonly<Record<string, Methods>> = {
  'tidemark.archive.v1.ArchiveService': {
    CountPages: ['scrape'],
    FindPage: ['scrape'],
    FindPages: ['crawl'],
    GetPage: ['gateway'],
    ListPages: ['diff', 'export', 'gateway', 'scrape'],
    QueryPages: ['diff', 'export', 'gateway', 'scrape'],
    ReadAttachment: ['diff', 'gateway'],
    SearchPages: ['gateway'],
    SummarizeRun: ['gateway'],
  },
  'tidemark.billing.v1.BillingService': {
    Balance: ['crawl', 'gateway', 'map', 'scrape'],
    Lease: ['crawl', 'map', 'scrape'],
    ListSpend: ['gateway'],
    Statement: ['gateway'],
    Usage: ['gateway'],
  },
  'tidemark.browser.v1.BrowserPoolService': {
    Render: ['scrape'],
    Status: [],
  },
  'tidemark.browser.v1.ExitService': {
    LeaseExit: ['scrape'],
    ListExitCountries: ['crawl', 'scrape'],
    ListExits: ['gateway'],
    ReportExit: ['scrape'],
  },
  'tidemark.crawl.v1.CrawlService': {
    Activity: ['gateway'],
    AdoptRun: ['projects'],
    CancelRun: ['gateway', 'projects'],
    CheckAddresses: ['diff', 'projects'],
    DryRun: ['projects'],
    ExpireRuns: ['projects'],
    FindPage: ['export', 'gateway'],
    GetRun: ['diff', 'export', 'gateway', 'projects'],
    ListEnded: ['delivery', 'export', 'gateway'],
    ListLinks: ['gateway'],
    ListRuns: ['gateway', 'projects'],
    PauseRun: ['gateway'],
    PreviewSources: ['projects'],
    ResumeRun: ['gateway'],
    Sources: ['projects'],
    StartRun: ['gateway', 'projects'],
  },
  'tidemark.delivery.v1.DeliveryService': {
    DismissNotice: ['gateway'],
    GetWebhook: ['gateway'],
    ListChannels: ['gateway'],
    ListDeliveries: ['gateway'],
    ListNotices: ['gateway'],
    Redeliver: ['gateway'],
    RotateSecret: ['gateway'],
    TestWebhook: ['gateway'],
  },
  'tidemark.diff.v1.DiffService': {
    CompareMarkup: ['gateway'],
    ComparePage: ['gateway'],
    ComparePictures: ['gateway'],
    GetRecord: ['delivery', 'export', 'gateway'],
    ListChangeEvents: ['delivery'],
    ListEntries: ['gateway'],
    ListRecordCounts: ['gateway'],
    ReviewEntries: ['gateway'],
    ReviewEntry: ['gateway'],
    StoreDigest: ['delivery'],
  },
  'tidemark.export.v1.ExportService': {
    CreateConnection: ['gateway'],
    DeleteConnection: ['gateway'],
    ExportDataset: ['gateway'],
    GetConnection: ['gateway', 'projects'],
    ListConnections: ['gateway'],
    ListProviders: ['gateway'],
    OpenConnection: ['delivery'],
    TestConnection: ['gateway'],
    UpdateConnection: ['gateway'],
  },
  'tidemark.identity.v1.AccountService': {
    AcceptInvite: ['gateway'],
    AddPasskey: ['gateway'],
    AuthenticateSession: ['gateway'],
    ChangePassword: ['gateway'],
    CreateInvite: ['gateway'],
    DeleteWorkspace: ['gateway'],
    EndSessions: ['gateway'],
    GetSession: ['gateway'],
    ListMembers: ['gateway'],
    ListPasskeys: ['gateway'],
    ListSessions: ['gateway'],
    LogIn: ['gateway'],
    LogInWithPasskey: ['gateway'],
    LogOut: ['gateway'],
    MakeResetToken: [],
    MakeSetupToken: [],
    ReadInvite: ['gateway'],
    RemoveMember: ['gateway'],
    RemovePasskey: ['gateway'],
    RenamePasskey: ['gateway'],
    RequestReset: ['gateway'],
    RequestVerification: ['gateway'],
    ResetPassword: ['gateway'],
    RevokeInvite: ['gateway'],
    SignUp: ['gateway'],
    StartPasskey: ['gateway'],
    StartPasskeyCheck: ['gateway'],
    StartPasskeyLogIn: ['gateway'],
    SwitchWorkspace: ['gateway'],
    UpdateMember: ['gateway'],
    UpdateProfile: ['gateway'],
    Verify: ['gateway'],
    VerifyCode: ['gateway'],
  },
  'tidemark.identity.v1.ChildService': {
    CreateChild: ['gateway'],
    EnterChild: ['gateway'],
    GetChild: ['gateway'],
    ListChildren: ['gateway'],
    UpdateChild: ['gateway'],
  },
  'tidemark.identity.v1.IdentityService': {
    Authenticate: ['gateway'],
    CreateKey: ['gateway'],
    CreateWorkspace: [],
    DescribeAccount: ['billing'],
    GetWorkspace: ['gateway'],
    ListKeys: ['gateway'],
    RevokeKey: ['gateway'],
    UpdateWorkspace: ['gateway'],
  },
  'tidemark.map.v1.MapService': {
    Activity: ['gateway'],
    Discovery: ['delivery', 'gateway'],
    GetMap: ['crawl', 'gateway'],
    ListEntries: ['crawl', 'export', 'gateway'],
    ListMapRows: ['crawl', 'gateway'],
    Map: ['crawl', 'gateway'],
    ReadFeeds: ['crawl'],
  },
  'tidemark.projects.v1.ProjectsService': {
    ApplyConfig: ['gateway'],
    CancelRun: ['gateway'],
    CreateFeedLink: ['gateway'],
    CreateProject: ['gateway'],
    CreateProjects: ['gateway'],
    DeleteProject: ['gateway'],
    DryRun: ['gateway'],
    GetProject: ['gateway'],
    GetRun: ['gateway'],
    KeepCrawl: ['gateway'],
    ListChannels: ['delivery'],
    ListConfigVersions: ['gateway'],
    ListFeedLinks: ['gateway'],
    ListLoginProjects: ['gateway'],
    ListMissingProjects: ['gateway'],
    ListProjects: ['gateway'],
    ListRuns: ['gateway'],
    OpenChannels: ['delivery'],
    OpenFeedLink: ['gateway'],
    PreviewSources: ['gateway'],
    Recrawl: ['gateway'],
    ResolveConfig: ['gateway'],
    RestoreConfigVersion: ['gateway'],
    RevokeFeedLink: ['gateway'],
    Sources: ['gateway'],
    StartRun: ['gateway'],
    StartRuns: ['gateway'],
    UpdateProject: ['gateway'],
  },
  'tidemark.scrape.v1.LoginService': {
    DeleteLogin: ['gateway'],
    GetLogin: ['projects'],
    GetRunLogin: ['projects'],
    ImportLogin: ['gateway'],
    ListLogins: ['gateway'],
    RecordRunLogin: ['projects'],
    TestLogin: ['gateway'],
    UpdateLogin: ['gateway'],
  },
  'tidemark.scrape.v1.ScrapeService': {
    Activity: ['gateway'],
    CancelJob: ['gateway'],
    GetJob: ['gateway'],
    ListEnded: ['gateway'],
    ListJobs: ['gateway'],
    MatchSelectors: ['gateway', 'projects'],
    PreviewContent: ['gateway'],
    Recapture: ['diff'],
    RereadStored: ['diff'],
    Scrape: ['gateway'],
    SearchSelectors: ['gateway'],
    StartBatch: ['gateway'],
  },
};

/** The services that may call each RPC, by `package.Service/Method`. */
export const RPC_CALLERS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(CALLERS).flatMap(([service, methods]) =>
    Object.entries(methods).map(([method, callers]) => [`${service}/${method}`, callers] as const),
  ),
);

/** Every name that a credential signed with the fleet key may have. */
export const FLEET_NAMES: ReadonlySet<string> = new Set([OPERATOR, ...Object.values(RPC_CALLERS).flat()]);

/** Returns whether a service may call an RPC, given as `package.Service/Method`. */
export function mayCall(service: string, rpc: string): boolean {
  return service === OPERATOR || RPC_CALLERS[rpc]?.includes(service) === true;
}

/** Services whose RPCs all act for the workspace in their request, or for none. */
const UNSCOPED_SERVICES = ['tidemark.browser.v1.BrowserPoolService', 'tidemark.browser.v1.ExitService'];
const UNSCOPED_RPCS: ReadonlySet<string> = new Set([
  'tidemark.billing.v1.BillingService/Lease',
  'tidemark.identity.v1.AccountService/AcceptInvite',
  'tidemark.identity.v1.AccountService/AuthenticateSession',
  'tidemark.identity.v1.AccountService/LogIn',
  'tidemark.identity.v1.AccountService/LogInWithPasskey',
  'tidemark.identity.v1.AccountService/MakeResetToken',
  'tidemark.identity.v1.AccountService/MakeSetupToken',
  'tidemark.identity.v1.AccountService/ReadInvite',
  'tidemark.identity.v1.AccountService/RequestReset',
  'tidemark.identity.v1.AccountService/ResetPassword',
  'tidemark.identity.v1.AccountService/SignUp',
  'tidemark.identity.v1.AccountService/StartPasskeyLogIn',
  'tidemark.identity.v1.AccountService/Verify',
  'tidemark.identity.v1.IdentityService/Authenticate',
  'tidemark.identity.v1.IdentityService/CreateWorkspace',
  'tidemark.identity.v1.IdentityService/DescribeAccount',
  'tidemark.scrape.v1.ScrapeService/MatchSelectors',
  'tidemark.scrape.v1.ScrapeService/PreviewContent',
  'tidemark.scrape.v1.ScrapeService/RereadStored',
]);

/** Returns whether an RPC acts for the workspace of its caller only. The others can not be restricted to workspaces. */
export const isScopedToCaller = (rpc: string): boolean =>
  !UNSCOPED_RPCS.has(rpc) && !UNSCOPED_SERVICES.includes(rpc.split('/')[0] ?? '');
