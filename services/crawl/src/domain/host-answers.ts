/** Hosts of one run remembered as given up; a run over more has no site of its own to be down. */
const GIVEN_UP_MOST = 1_000;

/** What the end of a page says of its host. */
export interface HostAnswer {
  readonly host: string;
  readonly verdict: string;
  /** 0: no answer. */
  readonly httpStatus: number;
  /** Whoever fetched it had given the host up. */
  readonly isHostGivenUp: boolean;
}

/** Pages in a row without an answer, after these. A page that robots.txt closed says nothing about its site being up. */
export function silentAfter(before: number, ends: readonly HostAnswer[]): number {
  return ends.reduce((silent, { httpStatus, verdict }) => {
    if (verdict === 'robots') return silent;
    return httpStatus === 0 ? silent + 1 : 0;
  }, before);
}

/** Hosts given up, after these. One that answers is none of them any more. */
export function givenUpAfter(before: readonly string[], ends: readonly HostAnswer[]): string[] {
  const hosts = new Set(before);
  for (const { host, httpStatus, isHostGivenUp } of ends) {
    if (isHostGivenUp) hosts.add(host);
    else if (httpStatus > 0) hosts.delete(host);
  }
  return [...hosts].slice(0, GIVEN_UP_MOST);
}
