// Unpacks the browser of @sparticuz/chromium into TMPDIR. The package has no other setting for the target,
// and reads it from its process environment: hence this separate process.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inflate } from '@sparticuz/chromium';

const archives = join(dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))), '../bin');
// The last one contains libraries of Amazon Linux (such as nss), used if the system lacks them.
for (const archive of ['chromium.br', 'fonts.tar.br', 'swiftshader.tar.br', 'al2023.tar.br']) {
  await inflate(join(archives, archive));
}
