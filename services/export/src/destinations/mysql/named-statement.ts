import type { Connection, RowDataPacket } from 'mysql2/promise';

type NamedValues = Readonly<Record<string, string | number | boolean | Date>>;

/**
 * Runs a statement whose values are named (`:name`) and returns its rows. The text is a constant: the driver would find a placeholder in a
 * quoted name of a table.
 */
export async function selectNamed<Row extends object>(
  connection: Connection,
  sql: string,
  values: NamedValues,
): Promise<Row[]> {
  const [rows] = await connection.query<(Row & RowDataPacket)[]>({ sql, values, namedPlaceholders: true });
  return rows;
}

/** Runs a statement as `selectNamed` does, without rows. */
export async function changeNamed(connection: Connection, sql: string, values: NamedValues): Promise<void> {
  await connection.query({ sql, values, namedPlaceholders: true });
}
