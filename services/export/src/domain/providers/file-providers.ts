import { field, type Provider, type ProviderField } from './provider.ts';

const S3_SECRETS = [
  { ...field('secret_access_key', 'line', 'Secret access key', { required: true }), maxChars: 4_096 },
] as const;
const S3_NOTE =
  'The key needs permission to put, get and delete objects below the path. Each run is a folder; its manifest is written last.';

interface Bucket {
  readonly id: string;
  readonly title: string;
  /** Default of the endpoint; empty: it must be given. */
  readonly endpoint: string;
  readonly region: ProviderField;
  readonly pathStyle: 'on' | 'off';
  readonly verified: boolean;
}

function bucket({ id, title, endpoint, region, pathStyle, verified }: Bucket): Provider {
  const says = endpoint.includes('{region}')
    ? `Address of the service; ${endpoint} by default`
    : 'Address of the service';
  const isDerived = endpoint.includes('{region}');
  const fields: readonly ProviderField[] = [
    field('endpoint', 'url', says, { required: endpoint === '', fallback: isDerived ? '' : endpoint }),
    region,
    field('bucket', 'line', 'Name of the bucket; it must exist', { required: true }),
    field('access_key_id', 'line', 'Access key id', { required: true }),
    field('path_style', 'choice', 'on: the bucket is in the path of addresses. off: in their host name', {
      fallback: pathStyle,
      choices: ['on', 'off'],
    }),
  ];
  const boundTo = ['endpoint', 'region', 'bucket', 'access_key_id', 'path_style'];
  return { id, title, kind: 's3', fields, secrets: S3_SECRETS, oneOfSecrets: [], boundTo, note: S3_NOTE, verified };
}

const region = (fallback: string) => field('region', 'line', 'Region of the bucket', { fallback });
const requiredRegion = field('region', 'line', 'Region of the bucket', { required: true });

/** Buckets and servers of files. */
export const FILE_PROVIDERS: readonly Provider[] = [
  bucket({
    id: 's3',
    title: 'S3-compatible storage',
    endpoint: '',
    region: region('us-east-1'),

    pathStyle: 'on',
    verified: true,
  }),
  bucket({
    id: 'aws_s3',
    title: 'Amazon S3',
    endpoint: 'https://s3.{region}.amazonaws.com',
    region: requiredRegion,

    pathStyle: 'off',
    verified: false,
  }),
  bucket({
    id: 'cloudflare_r2',
    title: 'Cloudflare R2',
    endpoint: '',
    region: region('auto'),

    pathStyle: 'on',
    verified: false,
  }),
  bucket({
    id: 'google_cloud_storage',
    title: 'Google Cloud Storage with an HMAC key',

    endpoint: 'https://storage.googleapis.com',
    region: region('auto'),
    pathStyle: 'on',
    verified: false,
  }),
  bucket({
    id: 'backblaze_b2',
    title: 'Backblaze B2',
    endpoint: '',

    region: requiredRegion,
    pathStyle: 'on',
    verified: false,
  }),
  {
    id: 'azure_blob',
    title: 'Azure Blob Storage',
    kind: 'azure_blob',
    fields: [
      field('account', 'line', 'Name of the storage account', { required: true }),
      field('container', 'line', 'Name of the container; it must exist', { required: true }),
      field('endpoint', 'url', 'Address of the service; https://{account}.blob.core.windows.net by default'),
    ],
    secrets: [
      { ...field('account_key', 'line', 'Key of the account, in base64', { required: true }), maxChars: 4_096 },
    ],
    oneOfSecrets: [],
    boundTo: ['account', 'container', 'endpoint'],
    note: 'Each run is a folder; its manifest is written last.',
    verified: false,
  },
  {
    id: 'sftp',
    title: 'SFTP',
    kind: 'sftp',
    fields: [
      field('host', 'host', 'Name or address of the server', { required: true }),
      field('port', 'port', 'Port of the server', { fallback: '22' }),
      field('user', 'line', 'User', { required: true }),
      field('directory', 'line', 'Directory of the files; it must exist', { fallback: '.' }),
      field(
        'host_key',
        'line',
        'SHA-256 fingerprint of the host key, such as SHA256:…; set by the first successful test',
      ),
    ],
    secrets: [
      { ...field('password', 'line', 'Password of the user'), maxChars: 4_096 },
      field('private_key', 'lines', 'Private key in OpenSSH or PEM format'),
      { ...field('passphrase', 'line', 'Passphrase of the private key'), maxChars: 4_096 },
    ],
    oneOfSecrets: ['password', 'private_key'],
    boundTo: ['host', 'port', 'user', 'host_key'],
    note: 'A sync needs the host key of the server; test the connection once, or set it. Files are written as .part and renamed.',
    verified: true,
  },
];
