import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, test } from '@jest/globals';
import { openBlobs } from '@tidemark/blobs';
import { PageBodies } from '@tidemark/contracts/page/v1/page';
import { pageRow } from '@tidemark/testkit';
import fc from 'fast-check';
import { type BodyName, readBodies } from './read-bodies.ts';

const PROPERTIES = {
  markdown: 'markdown',
  text: 'text',
  cleanHtml: 'cleanHtml',
  rawHtml: 'rawHtml',
  links: 'linksJson',
  head: 'headJson',
  fields: 'fieldsJson',
  blocks: 'blocks',
  extraction: 'extraction',
} as const satisfies Record<BodyName, keyof PageBodies>;

const folder = mkdtempSync(join(tmpdir(), 'tidemark-bodies-'));
const blobs = openBlobs(pathToFileURL(folder).href);
afterAll(async () => {
  await blobs.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('readBodies', () => {
  test('returns exactly the requested bodies of the stored document, for any bodies and any request', async () => {
    const text = fc.option(fc.string({ unit: 'binary' }), { nil: undefined });
    const stored = fc.record({
      markdown: text,
      text,
      cleanHtml: text,
      rawHtml: text,
      linksJson: text,
      headJson: text,
      fieldsJson: text,
      blocks: fc.option(
        fc.uint8Array().map((bytes) => Buffer.from(bytes)),
        { nil: undefined },
      ),
      extraction: fc.option(fc.record({ valueJson: text, model: fc.string() }), { nil: undefined }),
    });
    const names = fc.subarray(Object.keys(PROPERTIES).filter((name): name is BodyName => name in PROPERTIES));
    await fc.assert(
      fc.asyncProperty(stored, names, async (bodies, requested) => {
        const bytes = PageBodies.encode(PageBodies.fromPartial(bodies)).finish();
        const row = pageRow({ content: await blobs.put(bytes) });
        const read = PageBodies.decode(await readBodies(blobs, row, requested));
        const whole = PageBodies.decode(bytes);
        const kept = requested.map((name) => [PROPERTIES[name], whole[PROPERTIES[name]]]);
        expect(read).toEqual(PageBodies.fromPartial(Object.fromEntries(kept)));
      }),
      { numRuns: 50 },
    );
  });
});
