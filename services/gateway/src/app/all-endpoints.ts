import { routes } from '@tidemark/api';
import type { Catalogue } from '@tidemark/catalogue';
import { USER_AGENT } from '@tidemark/egress/user-agent';
import type { Peer } from '@tidemark/service';
import type { Endpoint } from '../http/mount.ts';
import type { Authenticator } from '../middleware/authenticate.ts';
import { metaEndpoint } from '../routes/about/meta-endpoint.ts';
import { memberEndpoints } from '../routes/accounts/member-endpoints.ts';
import { oidcEndpoints } from '../routes/accounts/oidc-endpoints.ts';
import { passkeyEndpoints } from '../routes/accounts/passkey-endpoints.ts';
import { proofEndpoints } from '../routes/accounts/proof-endpoints.ts';
import { savedViewEndpoints } from '../routes/accounts/saved-view-endpoints.ts';
import { sessionEndpoints } from '../routes/accounts/session-endpoints.ts';
import { auditEndpoints } from '../routes/audit/audit-endpoints.ts';
import { billingEndpoints } from '../routes/billing/billing-endpoints.ts';
import { documentEndpoints } from '../routes/billing/document-endpoints.ts';
import { paymentEndpoints } from '../routes/billing/payment-endpoints.ts';
import { changeEndpoints } from '../routes/changes/change-endpoints.ts';
import { childEndpoints } from '../routes/children/child-endpoints.ts';
import { connectionEndpoints } from '../routes/connections/connection-endpoints.ts';
import { crawlEndpoints } from '../routes/crawl/crawl-endpoints.ts';
import { keepEndpoint } from '../routes/crawl/keep-endpoint.ts';
import { destinationEndpoints } from '../routes/destinations/destination-endpoints.ts';
import { discoveryEndpoints } from '../routes/discovery/discovery-endpoints.ts';
import { exitsEndpoint } from '../routes/exits/exits-endpoint.ts';
import { exportEndpoints } from '../routes/exports/export-endpoints.ts';
import { feedEndpoints } from '../routes/feeds/feed-endpoints.ts';
import { loginEndpoints } from '../routes/logins/login-endpoints.ts';
import { mapEndpoints } from '../routes/map/map-endpoints.ts';
import { noticeEndpoints } from '../routes/notices/notice-endpoints.ts';
import { citeEndpoint } from '../routes/pages/cite-endpoint.ts';
import { contentEndpoints } from '../routes/pages/content-endpoints.ts';
import { historyEndpoints } from '../routes/pages/history-endpoints.ts';
import { pageEndpoints } from '../routes/pages/page-endpoints.ts';
import { searchEndpoint } from '../routes/pages/search-endpoint.ts';
import { selectorsEndpoint } from '../routes/pages/selectors-endpoint.ts';
import { playgroundEndpoints } from '../routes/playground/playground-endpoints.ts';
import { configVersionEndpoints } from '../routes/projects/config-version-endpoints.ts';
import { projectEndpoints } from '../routes/projects/project-endpoints.ts';
import { recorderEndpoints } from '../routes/recorder/recorder-endpoints.ts';
import { requestLogEndpoints } from '../routes/request-log/request-log-endpoints.ts';
import { runEndpoints } from '../routes/runs/run-endpoints.ts';
import { scrapeEndpoints } from '../routes/scrape/scrape-endpoints.ts';
import { sourceEndpoints } from '../routes/sources/source-endpoints.ts';
import { webhookEndpoints } from '../routes/webhooks/webhook-endpoints.ts';
import { keyEndpoints } from '../routes/workspace/key-endpoints.ts';
import { monitorEndpoint } from '../routes/workspace/monitor-endpoint.ts';
import { workspaceEndpoints } from '../routes/workspace/workspace-endpoints.ts';

/** The services that the gateway calls. */
export interface Peers {
  readonly identity: Peer;
  readonly billing: Peer;
  readonly scrape: Peer;
  readonly browserPool: Peer;
  readonly archive: Peer;
  readonly crawl: Peer;
  readonly map: Peer;
  readonly projects: Peer;
  readonly diff: Peer;
  readonly export: Peer;
  readonly delivery: Peer;
}

interface Deps {
  readonly peers: Peers;
  readonly catalogue: Catalogue;
  readonly authenticator: Authenticator;
}

/** Returns the endpoint of every route of the contract. @throws Error naming routes without an endpoint */
export function allEndpoints({ peers, catalogue, authenticator }: Deps): Endpoint[] {
  const {
    identity,
    billing,
    scrape,
    browserPool,
    archive,
    crawl,
    map,
    projects,
    diff,
    delivery,
    export: exports,
  } = peers;
  const endpoints = [
    ...scrapeEndpoints({ scrape, archive, map, export: exports }),
    ...workspaceEndpoints({ identity, billing, plans: catalogue.plans, authenticator }),
    ...billingEndpoints({ billing, identity, projects, catalogue }),
    ...paymentEndpoints({ billing, catalogue }),
    ...documentEndpoints({ billing, browserPool: browserPool }),
    monitorEndpoint({ scrape, crawl, map }),
    ...keyEndpoints({ identity, projects, authenticator }),
    ...auditEndpoints(identity),
    ...requestLogEndpoints(identity),
    ...childEndpoints({ identity, billing, projects, authenticator }),
    ...sessionEndpoints({ identity, authenticator }),
    ...oidcEndpoints(identity),
    ...passkeyEndpoints({ identity, authenticator }),
    ...savedViewEndpoints(identity),
    ...proofEndpoints({ identity, authenticator }),
    ...memberEndpoints({ identity, billing, authenticator }),
    ...crawlEndpoints({ scrape, crawl, archive, map, export: exports }),
    keepEndpoint(projects),
    ...mapEndpoints(map),
    ...projectEndpoints(projects, map),
    ...configVersionEndpoints(projects),
    ...recorderEndpoints({ projects, scrape }),
    ...sourceEndpoints({ projects, billing }),
    ...discoveryEndpoints({ projects, map }),
    ...runEndpoints({ projects, crawl, archive, diff }),
    ...pageEndpoints({ projects, crawl, archive }),
    ...historyEndpoints({ projects, crawl, archive, diff }),
    searchEndpoint({ projects, archive, scrape }),
    citeEndpoint({ projects, archive }),
    selectorsEndpoint({ projects, crawl, archive, scrape }),
    ...contentEndpoints({ projects, crawl, archive, scrape }),
    ...changeEndpoints({ projects, crawl, archive, diff }),
    ...feedEndpoints({ projects, diff }),
    ...loginEndpoints({ scrape, projects }),
    ...webhookEndpoints(delivery),
    ...connectionEndpoints(exports),
    ...destinationEndpoints({ projects, export: exports }),
    ...exportEndpoints({ projects, crawl, archive, export: exports }),
    ...noticeEndpoints(delivery),
    ...playgroundEndpoints({ scrape, archive, export: exports }),
    exitsEndpoint(browserPool),
    metaEndpoint({ catalogue, userAgent: USER_AGENT }),
  ];
  const missing = Object.values(routes).filter((route) => !endpoints.some((endpoint) => endpoint.route === route));
  if (missing.length > 0) throw new Error(`no endpoint for ${missing.map((route) => route.id).join(', ')}`);
  return endpoints;
}
