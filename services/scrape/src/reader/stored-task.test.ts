import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { openBlobs } from '@tidemark/blobs';
import { StoredPages } from './stored-task.ts';

describe('stored bodies', () => {
  it('are reported as unreadable if they are corrupt, without an exception on the reader thread', async () => {
    const address = pathToFileURL(mkdtempSync(join(tmpdir(), 'tidemark-stored-'))).href;
    // A field that declares a length beyond the end of the data.
    const { sha256 } = await openBlobs(address).put(Buffer.from([0x0a, 0xff, 0x7f, 0x41]));
    const query = { selectors: ['p'], samples: 0 };
    const loaded = await new StoredPages(address).load({ sha256, query });
    expect(loaded).toMatchObject({ unreadable: expect.any(String), code: 'internal' });
    expect(await new StoredPages(undefined).load({ sha256, query })).toMatchObject({ code: 'internal' });
  });
});
