// A process of the crash tests: changes a store, prints what is confirmed, and ends itself with SIGKILL after a step.
import { randomBytes } from 'node:crypto';
import { utimesSync, writeSync } from 'node:fs';
import { packBlob } from '../src/pack-blob.ts';
import { SegmentDriver } from '../src/segments/segment-driver.ts';
import { listSegments, segmentFolder, segmentPath } from '../src/segments/segment-folder.ts';
import { SegmentMaintenance } from '../src/segments/segment-maintenance.ts';
import { SegmentTrash } from '../src/segments/segment-trash.ts';
import type { Step } from '../src/segments/steps.ts';

const [, , root = '', killAfter = ''] = process.argv;
let armed = false;
const onStep = (step: Step): void => {
  if (armed && step === killAfter) process.kill(process.pid, 'SIGKILL');
};
const print = (word: string, sha256: string): void => void writeSync(1, `${word} ${sha256}\n`);
const body = () => packBlob(randomBytes(2_000));

const driver = new SegmentDriver(root, { onStep });
async function writeBatch(size: number): Promise<string[]> {
  const blobs = Array.from({ length: size }, body);
  await Promise.all(blobs.map((blob) => driver.write(blob)));
  return blobs.map(({ sha256 }) => sha256);
}

if (killAfter === 'random') for (;;) for (const sha256 of await writeBatch(10)) print('kept', sha256);

for (const sha256 of await writeBatch(4)) print('kept', sha256);
const deleted = await writeBatch(20);
const trash = new SegmentTrash(root, { onStep });
await trash.discard(deleted);
const [first = '', ...others] = deleted;
await trash.purge([first]);
print('purged', first);
armed = true;
for (const sha256 of await writeBatch(2)) print('kept', sha256);
await trash.purge(others);
for (const sha256 of others) print('purged', sha256);
for (const name of listSegments(segmentFolder(root)))
  utimesSync(segmentPath(segmentFolder(root), name), new Date(), new Date(0));
await new SegmentMaintenance(root, { importAfterMs: 0, onStep }).run(() => true);
