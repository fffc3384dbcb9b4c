// A process whose files can not exceed a limit (`ulimit -f`): writes bodies of 1 MB until one is refused in the middle, then one more.
import { randomBytes } from 'node:crypto';
import { packBlob } from '../src/pack-blob.ts';
import { SegmentDriver } from '../src/segments/segment-driver.ts';

// Without a handler the signal ends the process; with one the write fails.
process.on('SIGXFSZ', () => undefined);
const driver = new SegmentDriver(process.argv[2] ?? '');
const write = (): Promise<boolean> => {
  const body = packBlob(randomBytes(1_000_000));
  return driver.write(body).then(
    () => process.stdout.write(`stored ${body.sha256}\n`),
    () => !process.stdout.write('refused\n'),
  );
};
let written = 0;
while (written < 10 && (await write())) written += 1;
await write();
await driver.close();
