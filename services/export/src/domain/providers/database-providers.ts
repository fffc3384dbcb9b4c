import { field, type Provider, type ProviderField } from './provider.ts';

const TLS = field('tls', 'choice', 'verify: TLS with a valid certificate. off: no TLS, for allow-listed hosts only', {
  fallback: 'verify',
  choices: ['verify', 'off'],
});
const CA = field('ca', 'lines', 'PEM certificates to trust beside those of the system');
const PASSWORD = { ...field('password', 'line', 'Password of the user', { required: true }), maxChars: 4_096 };

const BOUND = ['host', 'port', 'user', 'database', 'tls', 'ca'] as const;

interface Database {
  readonly id: string;
  readonly title: string;
  readonly kind: 'postgres' | 'mysql' | 'clickhouse';
  readonly port: string;
  readonly note: string;
  readonly verified: boolean;
}

function database({ id, title, kind, port, note, verified }: Database): Provider {
  const fields: readonly ProviderField[] = [
    field('host', 'host', 'Name or address of the server', { required: true }),
    field('port', 'port', 'Port of the server', { fallback: port }),
    field('database', 'line', 'Name of the database', { required: true }),
    ...(kind === 'postgres' ? [field('schema', 'line', 'Schema of the tables', { fallback: 'public' })] : []),
    field('user', 'line', 'User that creates and writes the tables', { required: true }),
    TLS,
    CA,
  ];
  return { id, title, kind, fields, secrets: [PASSWORD], oneOfSecrets: [], boundTo: BOUND, note, verified };
}

const POSTGRES_NOTE =
  'The user needs CREATE and USAGE on the schema. Each sync is one transaction; tables are created and extended, never changed otherwise.';

/** Databases and warehouses. */
export const DATABASE_PROVIDERS: readonly Provider[] = [
  database({
    id: 'postgresql',
    title: 'PostgreSQL',
    kind: 'postgres',
    port: '5432',

    note: POSTGRES_NOTE,
    verified: true,
  }),
  database({
    id: 'neon',
    title: 'Neon',
    kind: 'postgres',
    port: '5432',

    note: `${POSTGRES_NOTE} Pooled and direct hosts work.`,
    verified: false,
  }),
  database({
    id: 'supabase',
    title: 'Supabase',
    kind: 'postgres',
    port: '5432',

    note: `${POSTGRES_NOTE} Use the host of the session pooler or of the database.`,
    verified: false,
  }),
  database({
    id: 'timescale',
    title: 'Timescale',
    kind: 'postgres',
    port: '5432',

    note: POSTGRES_NOTE,
    verified: false,
  }),
  database({
    id: 'mariadb',
    title: 'MariaDB',
    kind: 'mysql',
    port: '3306',

    note: 'The user needs CREATE, ALTER, CREATE TEMPORARY TABLES, SELECT, INSERT, UPDATE and DELETE.',
    verified: true,
  }),
  database({
    id: 'mysql',
    title: 'MySQL',
    kind: 'mysql',
    port: '3306',

    note: 'The user needs CREATE, ALTER, CREATE TEMPORARY TABLES, SELECT, INSERT, UPDATE and DELETE.',
    verified: false,
  }),
  database({
    id: 'clickhouse',
    title: 'ClickHouse',
    kind: 'clickhouse',
    port: '8443',

    note: 'Uses the HTTP interface. Tables are ReplacingMergeTree; read them with FINAL.',
    verified: false,
  }),
];
