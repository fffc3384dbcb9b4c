import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { creditShare } from './credit-share.ts';
import { smaller } from './half-up.ts';
import { sum, type TaxRule, taxLines, totalsOf } from './tax.ts';

const gst: TaxRule = { kind: 'gst', rate: 1_800 };
const seller = { country: 'IN', state: 'KA', taxId: '29ABCDE1234F1Z5' };
const place = (country: string, state = '', taxId = '') => ({ country, state, taxId });
const line = (netMinor: bigint) => ({ text: 'Growth, one month', quantity: 1, netMinor });
const taxOf = (rule: TaxRule, buyer = place('IN', 'KA'), netMinor = 33_333n) =>
  taxLines([line(netMinor)], { rule, seller, buyer });

describe('taxLines', () => {
  it('splits GST into two halves within a state', () => {
    expect(taxOf(gst).lines[0]?.tax).toEqual([
      { name: 'CGST', rate: 900, amountMinor: 3_000n },
      { name: 'SGST', rate: 900, amountMinor: 3_000n },
    ]);
  });

  it('charges integrated GST between states', () => {
    const { lines, totalMinor } = taxOf(gst, place('IN', 'MH'));
    expect(lines[0]?.tax).toEqual([{ name: 'IGST', rate: 1_800, amountMinor: 6_000n }]);
    expect(totalMinor).toBe(39_333n);
  });

  it('charges no GST for an export, and states why', () => {
    expect(taxOf(gst, place('DE'))).toMatchObject({
      taxMinor: 0n,
      note: expect.stringContaining('letter of undertaking'),
    });
  });

  it('charges VAT, except for a business in another country', () => {
    const vat: TaxRule = { kind: 'vat', rate: 2_000 };
    expect(taxOf(vat, place('IN')).taxMinor).toBe(6_667n);
    expect(taxOf(vat, place('FR')).taxMinor).toBe(6_667n);
    expect(taxOf(vat, place('FR', '', 'FR123')).note).toContain('Reverse charge');
  });

  it('rounds each line, and a credit as the charge that it mirrors', () => {
    const { lines, taxMinor } = taxLines([line(33_335n), line(-33_335n)], {
      rule: gst,
      seller,
      buyer: place('IN', 'MH'),
    });
    expect(lines.flatMap(({ tax }) => tax.map((part) => part.amountMinor))).toEqual([6_000n, -6_000n]);
    expect(taxMinor).toBe(0n);
  });
});

describe('creditShare', () => {
  it('adds up to the invoice exactly, line by line, however the refunds are split', () => {
    const nets = fc.array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(nets, fc.array(fc.integer({ min: 1, max: 500_000 }), { maxLength: 6 }), (amounts, refunds) => {
        const { lines, totalMinor } = taxLines(
          amounts.map((net) => line(BigInt(net))),
          { rule: gst, seller, buyer: place('IN', 'KA') },
        );
        const credited: ReturnType<typeof creditShare>[] = [];
        let left = totalMinor;
        for (const refund of [...refunds.map(BigInt), totalMinor]) {
          const note = smaller(refund, left);
          if (note === 0n) continue;
          const share = creditShare({ invoice: lines, credited }, note);
          expect(totalsOf(share).totalMinor).toBe(note);
          credited.push(share);
          left -= note;
        }
        expect(left).toBe(0n);
        lines.forEach(({ netMinor }, i) => {
          expect(sum(credited.map((note) => note[i]?.netMinor ?? 0n))).toBe(netMinor);
        });
      }),
    );
  });

  it('refuses a credit note beyond what is left of the invoice', () => {
    const { lines } = taxOf(gst);
    expect(() =>
      creditShare({ invoice: lines, credited: [creditShare({ invoice: lines, credited: [] }, 39_000n)] }, 334n),
    ).toThrow('exceeds the rest of 333');
  });
});
