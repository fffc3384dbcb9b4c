import { AccountServiceService as Rpc } from '@tidemark/contracts/identity/v1/accounts';
import { anonymous } from '@tidemark/testkit';
import { type AccountServers, CLIENT, newEmail } from './account-servers.ts';

/** Times of one request for addresses with and without an account, ms. */
export interface Samples {
  readonly known: readonly number[];
  readonly unknown: readonly number[];
}

export interface Comparison {
  readonly knownMs: number;
  readonly unknownMs: number;
  /** Welch's t of the times without the slowest tenth of each side, which the machine causes. */
  readonly t: number;
}

/** Runs a request in turn for both kinds of addresses, in an order that changes. */
async function sample(
  count: number,
  run: (email: string) => Promise<unknown>,
  { addressOf, before }: { readonly addressOf: () => string; readonly before: () => Promise<unknown> },
): Promise<Samples> {
  const [known, unknown]: [number[], number[]] = [[], []];
  const measure = async (email: string, times: number[]) => {
    await before();
    const startedAt = performance.now();
    await run(email).catch(() => undefined);
    times.push(performance.now() - startedAt);
  };
  for (let n = 0; n < count; n += 1) {
    const stranger = newEmail();
    if (n % 2 === 0) await measure(addressOf(), known);
    await measure(stranger, unknown);
    if (n % 2 === 1) await measure(addressOf(), known);
  }
  return { known, unknown };
}

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const varianceOf = (values: readonly number[]): number => {
  const mean = meanOf(values);
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
};
const sorted = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);
const medianOf = (values: readonly number[]): number => sorted(values)[values.length >> 1] ?? 0;
const trimmed = (values: readonly number[]): number[] => sorted(values).slice(0, Math.ceil(values.length * 0.9));

export function compare({ known, unknown }: Samples): Comparison {
  const [a, b] = [trimmed(known), trimmed(unknown)];
  const error = Math.sqrt(varianceOf(a) / a.length + varianceOf(b) / b.length);
  return {
    knownMs: medianOf(known),
    unknownMs: medianOf(unknown),
    t: error === 0 ? 0 : (meanOf(a) - meanOf(b)) / error,
  };
}

export const REQUESTS = ['logIn', 'requestReset', 'signUp', 'createInvite'] as const;
type Request = (typeof REQUESTS)[number];

/** Returns the requests whose times are compared, for one account. Counts of attempts are deleted before each. */
export async function openRequests({ service, servers, signUp }: AccountServers) {
  const known = newEmail();
  await signUp(known);
  const owner = await signUp(newEmail());
  const rest = { name: 'Ann', workspaceName: '', setupToken: '', client: CLIENT };
  const requests: Readonly<Record<Request, (email: string) => Promise<unknown>>> = {
    logIn: (email) =>
      service.peer.call(Rpc.logIn, { email, password: 'a wrong passphrase', code: '', client: CLIENT }, anonymous()),
    requestReset: (email) => service.peer.call(Rpc.requestReset, { email, client: CLIENT }, anonymous()),
    signUp: (email) =>
      service.peer.call(Rpc.signUp, { ...rest, email, password: 'four random words here' }, anonymous()),
    createInvite: (email) => service.peer.call(Rpc.createInvite, { email, role: 'viewer' }, owner.call),
  };
  const before = () => servers.database.sql('DELETE FROM identity.login_failures');
  return {
    sample: (name: Request, count: number) => sample(count, requests[name], { addressOf: () => known, before }),
  };
}
