import { describe, expect, test } from '@jest/globals';
import { signV4 } from './sign-v4.ts';

const KEY = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
};
const AT = new Date('2013-05-24T00:00:00Z');

// Amazon S3 API reference, Signature Calculations for the Authorization Header: examples.
describe('the signature of a request to S3', () => {
  test('is that of the documented GET with a range', async () => {
    const url = new URL('https://examplebucket.s3.amazonaws.com/test.txt');
    const request = { method: 'GET', url, headers: { range: 'bytes=0-9' }, body: new Uint8Array() };
    expect((await signV4(request, KEY, AT))['authorization']).toContain(
      'Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    );
  });

  // The documented PUT also signs Date, which x-amz-date replaces; its signature without Date was calculated by the steps of the reference.
  test('is that of the documented PUT without its date, whose name is percent-encoded', async () => {
    const url = new URL('https://examplebucket.s3.amazonaws.com/test%24file.text');
    const headers = { 'x-amz-storage-class': 'REDUCED_REDUNDANCY' };
    const request = { method: 'PUT', url, headers, body: Buffer.from('Welcome to Amazon S3.') };
    expect((await signV4(request, KEY, AT))['authorization']).toContain(
      'Signature=1ee3a9a719bf9cd67d34043a52b3d1f8b674e378dc99c0748019b43f49b5b9bb',
    );
  });

  test('is that of the documented GET with a query', async () => {
    const url = new URL('https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J');
    const request = { method: 'GET', url, headers: {}, body: new Uint8Array() };
    expect((await signV4(request, KEY, AT))['authorization']).toContain(
      'Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    );
  });
});
