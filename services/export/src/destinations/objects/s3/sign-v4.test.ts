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
  test('is that of the documented GET with a range', () => {
    const url = new URL('https://examplebucket.s3.amazonaws.com/test.txt');
    const request = { method: 'GET', url, headers: { range: 'bytes=0-9' }, body: new Uint8Array() };
    expect(signV4(request, KEY, AT)['authorization']).toContain(
      'Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    );
  });

  test('is that of the documented PUT, whose name is percent-encoded', () => {
    const url = new URL('https://examplebucket.s3.amazonaws.com/test%24file.text');
    const headers = { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' };
    const request = { method: 'PUT', url, headers, body: Buffer.from('Welcome to Amazon S3.') };
    expect(signV4(request, KEY, AT)['authorization']).toContain(
      'Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
    );
  });

  test('is that of the documented GET with a query', () => {
    const url = new URL('https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J');
    const request = { method: 'GET', url, headers: {}, body: new Uint8Array() };
    expect(signV4(request, KEY, AT)['authorization']).toContain(
      'Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    );
  });
});
