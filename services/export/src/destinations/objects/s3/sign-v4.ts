import { createHash, createHmac } from 'node:crypto';

export interface SigningKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
}

interface RequestToSign {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';

/**
 * Returns the headers of a request to S3 with its signature (AWS Signature Version 4, single chunk). The path of the URL must be encoded as
 * RFC 3986 requires; S3 does not encode it a second time.
 */
export function signV4(request: RequestToSign, key: SigningKey, at: Date): Record<string, string> {
  const { method, url, body } = request;
  const time = at.toISOString().replace(/[-:]|\.\d{3}/g, '');
  const scope = `${time.slice(0, 8)}/${key.region}/s3/aws4_request`;
  const bodyHash = createHash('sha256').update(body).digest('hex');
  const sent = { ...request.headers, 'x-amz-content-sha256': bodyHash, 'x-amz-date': time };
  // undici sets the host header as this.
  const signed = Object.entries({ ...sent, host: url.host }).sort(([a], [b]) => (a < b ? -1 : 1));
  const names = signed.map(([name]) => name).join(';');
  const lines = signed.map(([name, value]) => `${name}:${value.trim()}\n`).join('');
  const canonical = [method, url.pathname, sortedQuery(url), lines, names, bodyHash].join('\n');
  const toSign = [ALGORITHM, time, scope, createHash('sha256').update(canonical).digest('hex')].join('\n');
  const signature = hmac(signingKey(key, time.slice(0, 8)), toSign).toString('hex');
  const authorization = `${ALGORITHM} Credential=${key.accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
  return { ...sent, authorization };
}

function sortedQuery({ searchParams }: URL): string {
  const encode = (text: string): string =>
    encodeURIComponent(text).replace(
      /[!'()*]/g,
      (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  return [...searchParams]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&');
}

function signingKey({ secretAccessKey, region }: SigningKey, date: string): Buffer {
  const ofDate = hmac(`AWS4${secretAccessKey}`, date);
  return hmac(hmac(hmac(ofDate, region), 's3'), 'aws4_request');
}

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
