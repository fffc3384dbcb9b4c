import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { signCredential } from './credential.ts';
import { credentialFor } from './fleet-access.ts';
import { restCredentialFor, serviceOfRestRequest } from './rest-credential.ts';
import { parseSharedKeys } from './shared-keys.ts';

const KEYS = parseSharedKeys(randomBytes(32).toString('base64'));

describe('the credential of a REST request', () => {
  it('names the service that signed it with a key of the fleet', () => {
    expect(serviceOfRestRequest(restCredentialFor('mcp', KEYS), KEYS)).toBe('mcp');
  });

  it('is refused if it is absent, malformed, signed with another key, expired, too long valid or for a gRPC call', () => {
    const iat = Math.floor(Date.now() / 1_000);
    const sign = (iat: number, exp: number) => signCredential({ iss: 'mcp', aud: 'rest', iat, exp }, KEYS[0]);
    const grpc = { name: 'mcp', signingKey: KEYS[0], tls: undefined };
    const refused = [
      undefined,
      '',
      'a.b.c',
      restCredentialFor('mcp', parseSharedKeys(randomBytes(32).toString('base64'))),
      sign(iat - 600, iat - 540),
      sign(iat + 600, iat + 660),
      sign(iat, iat + 3_600),
      credentialFor(grpc, '/a.B/C', { requestId: '', deadlineAtMs: Date.now() + 10_000 }),
    ];
    expect(refused.map((credential) => serviceOfRestRequest(credential, KEYS))).toEqual(refused.map(() => undefined));
  });
});
