import { readFileSync } from 'node:fs';
import { z } from 'zod';

const MANIFEST = new URL('../../../package.json', import.meta.url);

/** The version of the product: names a release that nobody has named otherwise. */
export const PRODUCT_VERSION = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(MANIFEST, 'utf8'))).version;
