import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Installation } from '../../deploy/admin/installation.ts';
import { readSealingKeys } from '../../deploy/admin/keys/sealing-keys.ts';
import { sealingKeys } from '../../deploy/local/local-keys.ts';
import type { OwnFleet } from '../harness/fleet.ts';
import type { Filled } from './filled-fleet.ts';

/** Returns a running fleet as `tidemark-admin` sees it. */
export const installationOf = (fleet: OwnFleet, keys = sealingKeys(fleet.dataDir)): Installation => ({
  databaseUrl: fleet.databaseUrl,
  blobUrl: pathToFileURL(join(fleet.dataDir, 'blobs')).href,
  natsUrl: fleet.natsUrl,
  redisUrl: fleet.redisUrl,
  sealingKeys: readSealingKeys(keys),
  dataDir: fleet.dataDir,
  isRunning: true,
  close: async () => undefined,
});

/** Returns what was filled with clients of another fleet, which has the same data and keys. */
export function withClientsOf(fleet: OwnFleet, filled: Filled): Filled {
  const { id, admin, writer, reader } = filled.workspace;
  const workspace = { id, admin: fleet.api(admin.key), writer: fleet.api(writer.key), reader: fleet.api(reader.key) };
  return { ...filled, workspace };
}
