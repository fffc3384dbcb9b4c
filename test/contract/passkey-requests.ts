import { SoftwareAuthenticator } from '@tidemark/testkit';
import { apiOf } from '../harness/api.ts';
import { PASSWORD, People, type Person } from '../harness/people.ts';
import type { Good, RouteRequest, TestServers } from './requests.ts';

/** Passkeys are bound to a host name; the other tests open the fleet by its address. */
const nameOf = (url: string): string => url.replace('127.0.0.1', 'localhost');

interface Enrolled {
  readonly person: Person;
  readonly authenticator: SoftwareAuthenticator;
  readonly id: string;
}

const optionsOf = async (response: Promise<{ readonly body: unknown }>) =>
  ((await response).body as { options: { challenge: string; rp: { id: string }; rpId: string } }).options;

async function signUp({ people }: TestServers): Promise<Omit<Enrolled, 'id'>> {
  const person = await people.signUp();
  const url = nameOf(person.url);
  return {
    person: await new People(url).logIn(person.email),
    authenticator: new SoftwareAuthenticator({ origin: url }),
  };
}

async function enrolled(servers: TestServers): Promise<Enrolled> {
  const { person, authenticator } = await signUp(servers);
  const options = await optionsOf(person.post('/auth/passkeys/options', { password: PASSWORD }));
  const { body } = await person.post('/auth/passkeys', { name: 'Laptop', credential: authenticator.create(options) });
  return { person, authenticator, id: (body as { id: string }).id };
}

const of =
  (make: (at: Enrolled) => Omit<RouteRequest, 'api'> | Promise<Omit<RouteRequest, 'api'>>) =>
  async (servers: TestServers): Promise<RouteRequest> => {
    const at = await enrolled(servers);
    return { api: at.person, ...(await make(at)) };
  };

/** Valid requests of the routes of passkeys. */
export const goodOfPasskeys = {
  startPasskeyLogIn: {
    200: ({ people }) => ({
      api: apiOf(nameOf(people.visitor().url), ''),
      path: '/auth/passkeys/login/options',
      body: {},
    }),
  },
  logInWithPasskey: {
    200: async (servers) => {
      const { person, authenticator } = await enrolled(servers);
      const visitor = apiOf(person.url, '');
      const options = await optionsOf(visitor.post('/auth/passkeys/login/options', {}));
      return { api: visitor, path: '/auth/passkeys/login', body: { credential: authenticator.get(options) } };
    },
  },
  startPasskeyCheck: { 200: of(() => ({ path: '/auth/2fa/options', body: {} })) },
  listPasskeys: { 200: of(() => ({ path: '/auth/passkeys' })) },
  startPasskey: { 200: of(() => ({ path: '/auth/passkeys/options', body: { password: PASSWORD } })) },
  addPasskey: {
    201: async (servers) => {
      const { person, authenticator } = await signUp(servers);
      const options = await optionsOf(person.post('/auth/passkeys/options', { password: PASSWORD }));
      const body = { name: 'Phone', credential: authenticator.create(options) };
      return { api: person, path: '/auth/passkeys', body };
    },
  },
  renamePasskey: { 200: of(({ id }) => ({ path: `/auth/passkeys/${id}`, body: { name: 'Tablet' } })) },
  removePasskey: { 204: of(({ id }) => ({ path: `/auth/passkeys/${id}` })) },
} satisfies Readonly<Record<string, Good>>;
