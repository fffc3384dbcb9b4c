/** Services whose RPCs all act for the workspace in their request, or for none. */
const UNSCOPED_SERVICES = ['tidemark.browser.v1.BrowserPoolService', 'tidemark.browser.v1.ExitService'];
const UNSCOPED_RPCS: ReadonlySet<string> = new Set([
  'tidemark.billing.v1.BillingService/Lease',
  'tidemark.identity.v1.AccountService/AcceptInvite',
  'tidemark.identity.v1.AccountService/AuthenticateSession',
  'tidemark.identity.v1.AccountService/GetSignInOptions',
  'tidemark.identity.v1.AccountService/LogIn',
  'tidemark.identity.v1.AccountService/LogInWithOidc',
  'tidemark.identity.v1.AccountService/LogInWithPasskey',
  'tidemark.identity.v1.AccountService/MakeResetToken',
  'tidemark.identity.v1.AccountService/MakeSetupToken',
  'tidemark.identity.v1.AccountService/ReadInvite',
  'tidemark.identity.v1.AccountService/RequestReset',
  'tidemark.identity.v1.AccountService/ResetPassword',
  'tidemark.identity.v1.AccountService/SignUp',
  'tidemark.identity.v1.AccountService/StartOidc',
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
