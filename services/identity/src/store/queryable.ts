import type pg from 'pg';

/** A pool, or the client of a transaction. */
export type Queryable = pg.Pool | pg.PoolClient;
