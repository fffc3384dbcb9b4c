import { Sha256Node } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';

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

/**
 * Returns the headers of a request to S3 with its signature (AWS Signature Version 4, single chunk). The path of the URL must be encoded as
 * RFC 3986 requires; S3 does not encode it a second time.
 */
export async function signV4(
  { method, url, headers, body }: RequestToSign,
  { accessKeyId, secretAccessKey, region }: SigningKey,
  signingDate: Date,
): Promise<Record<string, string>> {
  const credentials = { accessKeyId, secretAccessKey };
  const signer = new SignatureV4({ service: 's3', region, credentials, sha256: Sha256Node, uriEscapePath: false });
  const request = {
    method,
    protocol: url.protocol,
    hostname: url.hostname,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    // undici sends the host header in this form.
    headers: { ...headers, host: url.host },
    body,
  };
  const { host: _, ...signed } = (await signer.sign(request, { signingDate })).headers;
  return signed;
}
