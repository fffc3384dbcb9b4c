/** Hosts of one run remembered as given up; a run over more has no site of its own to be down. */
const MAX_GIVEN_UP = 1_000;

/** What the end of a page says of its host. */
export interface HostResponse {
  readonly host: string;
  readonly verdict: string;
  /** 0: no answer. */
  readonly httpStatus: number;
  /** Whoever fetched it had given the host up. */
  readonly isHostGivenUp: boolean;
}

/** Pages in a row without an answer, after these. A page that robots.txt closed says nothing about its site being up. */
export function silentAfter(before: number, results: readonly HostResponse[]): number {
  return results.reduce((silent, { httpStatus, verdict }) => {
    if (verdict === 'robots') return silent;
    return httpStatus === 0 ? silent + 1 : 0;
  }, before);
}

/** Hosts given up, after these. One that answers is none of them any more. */
export function givenUpAfter(before: readonly string[], results: readonly HostResponse[]): string[] {
  const hosts = new Set(before);
  for (const { host, httpStatus, isHostGivenUp } of results) {
    if (isHostGivenUp) hosts.add(host);
    else if (httpStatus > 0) hosts.delete(host);
  }
  return [...hosts].slice(0, MAX_GIVEN_UP);
}
