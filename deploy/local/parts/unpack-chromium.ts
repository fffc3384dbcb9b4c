// Unpacks the browser of @sparticuz/chromium into the folder that TMPDIR names. The package has no other setting for the target,
// and reads it from its own process: hence this small process.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inflate } from '@sparticuz/chromium';

const archives = join(dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))), '../bin');
// The last one holds the libraries of Amazon Linux (nss and friends), used where the system has none.
for (const archive of ['chromium.br', 'fonts.tar.br', 'swiftshader.tar.br', 'al2023.tar.br']) {
  await inflate(join(archives, archive));
}
