import pg from 'pg';
import type { Installation } from '../installation.ts';
import { findSealedBy } from './find-sealed.ts';

/** Returns a line for each key that is configured or that values are sealed with. */
export async function listKeys({
  databaseUrl,
  sealingKeys: { fingerprints },
}: Pick<Installation, 'databaseUrl' | 'sealingKeys'>): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  client.on('error', () => {}); // the rejected query reports it
  await client.connect();
  try {
    const found = await findSealedBy(client);
    const all = [...new Set([...fingerprints, ...found.map(({ fingerprint }) => fingerprint)])];
    return all.map((fingerprint) => {
      const count = found.filter((one) => one.fingerprint === fingerprint).reduce((sum, { values }) => sum + values, 0);
      const place = fingerprints.indexOf(fingerprint);
      const role = place === -1 ? 'NOT CONFIGURED' : place === 0 ? 'current' : 'previous';
      return `${fingerprint}  ${role}  ${count} values`;
    });
  } finally {
    await client.end().catch(() => {});
  }
}
