import {
  type ProbeLoginRequest,
  type ProbeLoginResponse,
  ScrapeServiceService as Rpc,
} from '@tidemark/contracts/scrape/v1/scrape';
import { AppError } from '@tidemark/errors';
import { defineService, handle } from '@tidemark/service';
import { type RunningService, startService, withRest } from '@tidemark/testkit';

/** A scrape that is asked about logins alone. */
export interface FakeScrape extends RunningService {
  /** Every probe it was asked for. */
  readonly probed: readonly ProbeLoginRequest[];
  /** What the next probe finds; undefined: it can't be had. */
  finds: ProbeLoginResponse | undefined;
  /** What is wrong with a selector; empty: nothing. What it throws is the answer. */
  faultOf: (selector: string) => string;
}

export const MEMBER_PAGE: ProbeLoginResponse = {
  answered: true,
  httpStatus: 200,
  showsLogin: false,
  landedUrl: 'https://site.test/',
  reason: 'a page without a login form',
};

export async function startFakeScrape(): Promise<FakeScrape> {
  const probed: ProbeLoginRequest[] = [];
  const face: Pick<FakeScrape, 'finds' | 'faultOf'> = { finds: MEMBER_PAGE, faultOf: () => '' };
  const definition = defineService({
    name: 'scrape',
    config: {},
    async start(app) {
      app.serve(
        Rpc,
        withRest(Rpc, [
          handle(Rpc.probeLogin, async (request) => {
            probed.push(request);
            if (face.finds === undefined) throw new AppError('unavailable', 'nobody fetches');
            return face.finds;
          }),
          handle(Rpc.matchSelectors, async ({ selectors }) => ({ pages: [], errors: selectors.map(face.faultOf) })),
        ]),
      );
    },
  });
  return Object.assign(face, await startService(definition, {}), { probed });
}
