import { createSecretKey, randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { allowsRedirect, ClientMetadata, isRedirectUri, OAuthClients } from './oauth-clients.ts';

const key = () => createSecretKey(randomBytes(32));
const CLIENT = { name: 'Agent', redirectUris: ['http://127.0.0.1/callback', 'https://agent.example/callback'] };

describe('OAuthClients', () => {
  it('finds a client by the id that it issued, also after the key has been rotated once', () => {
    const [old, current] = [key(), key()];
    const id = new OAuthClients([old]).register(CLIENT);
    expect(new OAuthClients([old]).find(id)).toEqual(CLIENT);
    expect(new OAuthClients([current, old]).find(id)).toEqual(CLIENT);
    expect(new OAuthClients([current]).find(id)).toBeUndefined();
  });

  it('refuses ids that were changed', () => {
    const clients = new OAuthClients([key()]);
    const [payload = '', mac = ''] = clients.register(CLIENT).split('.');
    const other = Buffer.from(JSON.stringify(['Agent', ['https://evil.example/']])).toString('base64url');
    for (const id of ['', '.', payload, `${payload}.`, `${other}.${mac}`]) expect(clients.find(id)).toBeUndefined();
  });
});

describe('allowsRedirect', () => {
  it('compares redirect URIs exactly, except for the port of a loopback address', () => {
    expect(allowsRedirect(CLIENT, 'https://agent.example/callback')).toBe(true);
    expect(allowsRedirect(CLIENT, 'http://127.0.0.1:50123/callback')).toBe(true);
    for (const uri of [
      'https://agent.example/callback/',
      'https://agent.example:444/callback',
      'https://agent.example/callback?x=1',
      'http://127.0.0.1:50123/other',
      'http://localhost:50123/callback',
    ])
      expect({ uri, isAllowed: allowsRedirect(CLIENT, uri) }).toEqual({ uri, isAllowed: false });
  });
});

describe('isRedirectUri', () => {
  it('accepts https, http on this machine, schemes with a domain name and those of known apps, and refuses every other scheme', () => {
    for (const uri of [
      'https://a.example/x',
      'http://localhost:1/x',
      'http://[::1]:1/x',
      'cursor://app/callback',
      'com.example.agent:/callback',
    ])
      expect({ uri, isAccepted: isRedirectUri(uri) }).toEqual({ uri, isAccepted: true });
    for (const uri of [
      'http://a.example/',
      'javascript://a/%0aalert(1)',
      'data:text/html,x',
      'https://a.example/#x',
      'x',
      'https://user@a.example/',
      'intent://a/x',
      'view-source://a/x',
      'ms-settings://a',
      'chrome-extension://a/x',
      'blob:https://a.example/x',
      'ssh://a.example',
      'smb://a.example/share',
      'tel://123',
      'mailto:a@a.example',
      'unknown-program://x',
      '//a.example/x',
    ])
      expect({ uri, isAccepted: isRedirectUri(uri) }).toEqual({ uri, isAccepted: false });
  });
});

describe('ClientMetadata', () => {
  it('removes characters from the name of a client that hide or reverse text', () => {
    const parse = (client_name: string) =>
      ClientMetadata.safeParse({ client_name, redirect_uris: ['https://a.example/'] });
    expect(parse('Tidemark\u202e tnegA\u200b\n').data?.client_name).toBe('Tidemark tnegA');
    expect(parse('\u200b').success).toBe(false);
  });
});
