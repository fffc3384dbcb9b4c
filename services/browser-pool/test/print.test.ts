import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BrowserPoolServiceService as Rpc } from '@tidemark/contracts/browser/v1/browser';
import { callerIn } from '@tidemark/testkit';
import { startTestPool, type TestPool } from './test-pool.ts';

let pool: TestPool;
beforeAll(async () => {
  pool = await startTestPool([]);
}, 60_000);
afterAll(() => pool.close());

const print = async (html: string) =>
  Buffer.from((await pool.peer.call(Rpc.print, { html }, callerIn('ws_one'), { deadlineMs: 60_000 })).pdf);
const pagesOf = (pdf: Buffer): number => pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0;

describe('Print', () => {
  it('returns a PDF of A4 pages, breaks pages by the print styles, and runs no script', async () => {
    const style = '<style>@page{size:A4}@media print{h2{break-before:page}}</style>';
    const script = '<script>document.body.innerHTML += "<h2>added</h2>"</script>';
    const pdf = await print(`<!doctype html><title>Invoice</title>${style}<h1>One</h1><h2>Two</h2>${script}`);
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
    expect(pagesOf(pdf)).toBe(2);
    expect(pdf.toString('latin1')).toMatch(/\/MediaBox\s*\[0 0 59[45]\.\d+ 84[12]\.\d+\]/);
  });

  it('refuses an empty document, and prints the next one', async () => {
    await expect(print('')).rejects.toMatchObject({ code: 'validation' });
    expect(pagesOf(await print('<p>Good</p>'))).toBe(1);
  });
});
