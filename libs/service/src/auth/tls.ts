import { readFileSync } from 'node:fs';
import { type ChannelCredentials, credentials, ServerCredentials } from '@grpc/grpc-js';
import { messageOf } from '@tidemark/errors';

/** Paths of PEM files, as configured. */
export interface TlsSettings {
  readonly GRPC_TLS_CERT?: string | undefined;
  readonly GRPC_TLS_KEY?: string | undefined;
  readonly GRPC_TLS_CA?: string | undefined;
}

/** Contents of PEM files: the certificate of this process, its private key, and the authorities that sign all certificates. */
export interface TlsFiles {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly ca: Buffer;
}

/** Reads the certificate files. @returns undefined if none is configured. @throws Error if only some are, or one can not be read */
export function readTlsFiles(settings: TlsSettings): TlsFiles | undefined {
  const { GRPC_TLS_CERT: cert, GRPC_TLS_KEY: key, GRPC_TLS_CA: ca } = settings;
  if (!cert && !key && !ca) return undefined;
  if (!cert || !key || !ca) throw new Error('GRPC_TLS_CERT, GRPC_TLS_KEY and GRPC_TLS_CA must be set together');
  return { cert: readPem('GRPC_TLS_CERT', cert), key: readPem('GRPC_TLS_KEY', key), ca: readPem('GRPC_TLS_CA', ca) };
}

function readPem(setting: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new Error(`${setting} can not be read: ${messageOf(error)}`);
  }
}

/** Returns the credentials of a client channel: mutual TLS if certificates are configured. */
export const channelCredentials = (tls: TlsFiles | undefined): ChannelCredentials =>
  tls === undefined ? credentials.createInsecure() : credentials.createSsl(tls.ca, tls.key, tls.cert);

/** Returns the credentials of a server: mutual TLS if certificates are configured. A client without a certificate is refused. */
export const serverCredentials = (tls: TlsFiles | undefined): ServerCredentials =>
  tls === undefined
    ? ServerCredentials.createInsecure()
    : ServerCredentials.createSsl(tls.ca, [{ private_key: tls.key, cert_chain: tls.cert }], true);

/** Channel options with which a client verifies that the server's certificate is for `service`, whatever its address is. */
export const serverNameOptions = (tls: TlsFiles | undefined, service: string): Readonly<Record<string, string>> =>
  tls === undefined ? {} : { 'grpc.ssl_target_name_override': service, 'grpc.default_authority': service };
