export { anonymous, callerIn, type KeyOptions, newWorkspace, operatorIn, personIn } from './callers.ts';
export { captureOptions } from './capture-options.ts';
export { type BillingUnderTest, billingLeaseContract } from './contracts/billing-lease.ts';
export { type BrowserPoolUnderTest, browserPoolContract } from './contracts/browser-pool.ts';
export type { ContractCase } from './contracts/contract-case.ts';
export { countCpuMs } from './count-cpu.ts';
export { createDatabase, type TestDatabase } from './database.ts';
export { type AuthenticatorSettings, SoftwareAuthenticator } from './fakes/authenticator.ts';
export { startEmptyArchive } from './fakes/empty-archive.ts';
export { type FakeBilling, startFakeBilling } from './fakes/fake-billing.ts';
export { type FakeBrowserPool, type Rendering, startFakeBrowserPool } from './fakes/fake-browser-pool.ts';
export { type FakeIdentity, startFakeIdentity } from './fakes/fake-identity.ts';
export {
  type FakeModel,
  type ModelRequest,
  startFakeConnections,
  startFakeModel,
  withStatus,
} from './fakes/fake-model.ts';
export { namedPages } from './fakes/fake-page-controls.ts';
export {
  type FakePage,
  type FakeScrapeOptions,
  type FakeScrapeWorkers,
  startFakeScrapeWorkers,
} from './fakes/fake-scrape-workers.ts';
export { withUnimplemented } from './fakes/with-unimplemented.ts';
export { dialAsOperator, fleetEnv } from './fleet-access.ts';
export { freePort } from './free-port.ts';
export { startNats, type TestNats } from './nats.ts';
export { pageRow, runPage } from './page-row.ts';
export { startRedis, type TestRedis } from './redis.ts';
export { SERVERS_URL, type SharedServers, sharedServers } from './shared-servers.ts';
export { type ServiceProcess, spawnService } from './spawn-service.ts';
export { type RunningService, startService } from './start-service.ts';
export { takes } from './takes.ts';
export { TestClock } from './test-clock.ts';
export { startTestServers, type TestServers } from './test-servers.ts';
export { until } from './until.ts';
export { untilQuiet } from './until-quiet.ts';
export { SITE_ADDRESS, startWebSite, type WebSite } from './web-site.ts';
