import { connectionContext } from '@tidemark/export/connection-context';
import { z } from 'zod';

/** A column with sealed values. The context under which a value is sealed binds it to its row (AES-GCM associated data). */
export interface SealedColumn {
  readonly schema: string;
  readonly table: string;
  readonly column: string;
  /** Column that identifies a row. */
  readonly key: string;
  readonly keyType: 'text' | 'bigint';
  /** `bytes`: one value; `list`: an array of them; `text`: a text `sealed:` and the value in base64. */
  readonly form: 'bytes' | 'list' | 'text';
  /** Expression of SQL over a row `t`, from which the context follows. */
  readonly contextSql: string;
  /** Returns the context from the result of the expression; absent: it is the result. */
  readonly contextOf?: (found: string) => string | undefined;
}

const Connection = z.tuple([z.string(), z.string(), z.unknown()]);

function contextOfConnection(found: string): string | undefined {
  const [id, provider, config] = Connection.parse(JSON.parse(found));
  return connectionContext(id, provider, config);
}

const BY_ID = { key: 'id', keyType: 'text', form: 'bytes', contextSql: 't.id' } as const;
const URL_BY_ID = { key: 'id', keyType: 'text', form: 'bytes', contextSql: "t.id || ':url'" } as const;

/**
 * Every column with sealed values that outlive a job, with the context that the services use. The options of jobs and pending events contain
 * more; `findSealedBy` finds them, and they end with their jobs.
 */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { schema: 'identity', table: 'factors', column: 'secret', ...BY_ID },
  { schema: 'projects', table: 'projects', column: 'secrets', ...BY_ID },
  {
    schema: 'export',
    table: 'connections',
    column: 'secrets',
    key: 'id',
    keyType: 'text',
    form: 'bytes',
    contextSql: 'json_build_array(t.id, t.provider, t.config)::text',
    contextOf: contextOfConnection,
  },
  { schema: 'scrape', table: 'logins', column: 'session', ...BY_ID },
  { schema: 'scrape', table: 'jobs', column: 'webhook_url', ...URL_BY_ID },
  { schema: 'scrape', table: 'jobs', column: 'webhook_secret', ...BY_ID },
  { schema: 'crawl', table: 'runs', column: 'webhook_url', ...URL_BY_ID },
  { schema: 'crawl', table: 'runs', column: 'webhook_secret', ...BY_ID },
  {
    schema: 'crawl',
    table: 'run_details',
    column: 'secrets',
    key: 'run_no',
    keyType: 'bigint',
    form: 'bytes',
    contextSql: "(SELECT r.id FROM crawl.runs r WHERE r.no = t.run_no) || ':config'",
  },
  { schema: 'delivery', table: 'receivers', column: 'url', ...BY_ID },
  { schema: 'delivery', table: 'receivers', column: 'secret', ...BY_ID },
  { schema: 'delivery', table: 'receivers', column: 'previous_secrets', ...BY_ID, form: 'list' },
  { schema: 'delivery', table: 'deliveries', column: 'url', ...BY_ID },
  { schema: 'delivery', table: 'deliveries', column: 'body', ...BY_ID, form: 'text' },
];
