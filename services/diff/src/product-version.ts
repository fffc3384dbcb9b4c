import { readFileSync } from 'node:fs';
import { z } from 'zod';

const MANIFEST = new URL('../../../package.json', import.meta.url);

/** Version of the product; the default release name. */
export const PRODUCT_VERSION = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(MANIFEST, 'utf8'))).version;
