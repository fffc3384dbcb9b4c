/** Hosts stored as given up per run; a run with more spans many sites, so that none of them counts as its own. */
const MAX_GIVEN_UP = 1_000;

/** What the result of a page shows about its host. */
export interface HostResponse {
  readonly host: string;
  readonly verdict: string;
  /** 0: no response. */
  readonly httpStatus: number;
  /** The worker that fetched the page has given the host up. */
  readonly isHostGivenUp: boolean;
}

/** Returns the number of consecutive pages without a response after these. A page disallowed by robots.txt is ignored. */
export function silentAfter(before: number, results: readonly HostResponse[]): number {
  return results.reduce((silent, { httpStatus, verdict }) => {
    if (verdict === 'robots') return silent;
    return httpStatus === 0 ? silent + 1 : 0;
  }, before);
}

/** Returns the hosts given up after these results. A host that responds is removed. */
export function givenUpAfter(before: readonly string[], results: readonly HostResponse[]): string[] {
  const hosts = new Set(before);
  for (const { host, httpStatus, isHostGivenUp } of results) {
    if (isHostGivenUp) hosts.add(host);
    else if (httpStatus > 0) hosts.delete(host);
  }
  return [...hosts].slice(0, MAX_GIVEN_UP);
}
