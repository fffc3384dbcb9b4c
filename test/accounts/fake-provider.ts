import { createHash, createHmac, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

type Algorithm = 'RS256' | 'ES256' | 'HS256' | 'none';

/** What the provider states in its next id token, and how it signs it. */
export interface Statement {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly algorithm?: Algorithm;
  /** Signs with a key that is not in the key set. */
  readonly isForged?: boolean;
}

/** An OpenID Connect provider over HTTP: discovery, authorization code with PKCE, token endpoint, key set. */
export interface FakeProvider {
  readonly issuer: string;
  /** Host and port, for the egress guard. */
  readonly authority: string;
  state(statement: Statement): void;
  close(): Promise<void>;
}

interface Grant {
  readonly nonce: string;
  readonly challenge: string;
  readonly redirectUri: string;
}

export const CLIENT_ID = 'tidemark';
export const CLIENT_SECRET = 'a secret of the client';

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function makeKeys() {
  return {
    RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
    ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  };
}

/** Starts a provider whose people sign in at once, without a page. */
export async function startFakeProvider(): Promise<FakeProvider> {
  const [keys, foreign] = [makeKeys(), makeKeys()];
  const grants = new Map<string, Grant>();
  let statement: Statement = {};
  let issuer = '';

  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', issuer);
    if (url.pathname === '/.well-known/openid-configuration') return json(response, 200, discovery(issuer));
    if (url.pathname === '/jwks') return json(response, 200, { keys: Object.entries(keys).map(toJwk) });
    if (url.pathname === '/authorize') return authorize(url, response);
    if (url.pathname === '/token') return token(request, response);
    json(response, 404, {});
  });

  function authorize({ searchParams }: URL, response: ServerResponse): void {
    const of = (name: string): string => searchParams.get(name) ?? '';
    const code = randomBytes(16).toString('hex');
    grants.set(code, { nonce: of('nonce'), challenge: of('code_challenge'), redirectUri: of('redirect_uri') });
    const back = new URL(of('redirect_uri'));
    back.search = new URLSearchParams({ code, state: of('state'), iss: issuer }).toString();
    response.writeHead(302, { location: back.href }).end();
  }

  async function token(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await textOf(request));
    const grant = grants.get(form.get('code') ?? '');
    grants.delete(form.get('code') ?? '');
    const basic = Buffer.from(request.headers.authorization?.split(' ')[1] ?? '', 'base64').toString();
    const isClient = basic === `${CLIENT_ID}:${encodeURIComponent(CLIENT_SECRET).replaceAll('%20', '+')}`;
    const verifier = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (!isClient || grant?.challenge !== verifier || grant.redirectUri !== form.get('redirect_uri'))
      return json(response, 400, { error: 'invalid_grant' });
    const seconds = Math.floor(Date.now() / 1_000);
    const claims = {
      iss: issuer,
      aud: CLIENT_ID,
      iat: seconds,
      exp: seconds + 300,
      nonce: grant.nonce,
      ...statement.claims,
    };
    json(response, 200, { access_token: 'x', token_type: 'Bearer', id_token: signed(claims) });
  }

  function signed(claims: object): string {
    const { algorithm = 'RS256', isForged = false } = statement;
    const content = `${encode({ alg: algorithm, kid: algorithm })}.${encode(claims)}`;
    if (algorithm === 'none') return `${content}.`;
    if (algorithm === 'HS256')
      return `${content}.${createHmac('sha256', CLIENT_SECRET).update(content).digest('base64url')}`;
    const key = (isForged ? foreign : keys)[algorithm].privateKey;
    const signature = sign('sha256', Buffer.from(content), { key, dsaEncoding: 'ieee-p1363' });
    return `${content}.${signature.toString('base64url')}`;
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const authority = `127.0.0.1:${typeof address === 'object' ? address?.port : address}`;
  issuer = `http://${authority}`;
  return {
    issuer,
    authority,
    state: (next) => {
      statement = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const toJwk = ([alg, { publicKey }]: readonly [string, { readonly publicKey: KeyObject }]) => ({
  ...publicKey.export({ format: 'jwk' }),

  alg,
  kid: alg,
  use: 'sig',
});

const discovery = (issuer: string) => ({
  issuer,

  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/jwks`,

  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  // Of a careless provider: what it announces must not decide alone.
  id_token_signing_alg_values_supported: ['RS256', 'ES256', 'HS256', 'none'],
});

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}
