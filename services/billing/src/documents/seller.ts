import { readFileSync } from 'node:fs';
import { messageOf } from '@tidemark/errors';
import { z } from 'zod';

const country = z.string().regex(/^[A-Z]{2}$/, 'expected an ISO 3166-1 code such as IN');
const rate = z.int().min(0).max(5_000);

/** The company that sells, as its documents name it. */
export const Seller = z.object({
  name: z.string().min(1).max(200),
  address: z.string().max(500).default(''),
  country: country.default('IN'),
  state: z.string().max(60).default(''),
  taxId: z.string().max(40).default(''),
  email: z.string().max(200).default(''),
  tax: z
    .discriminatedUnion('kind', [
      z.object({ kind: z.literal('none') }),
      z.object({ kind: z.literal('gst'), rate }),
      z.object({ kind: z.literal('vat'), rate }),
    ])
    .default({ kind: 'none' }),
  /** First part of the numbers of invoices and credit notes. */
  invoiceSeries: z
    .string()
    .regex(/^[A-Z0-9]{1,3}$/)
    .default('TM'),
  creditNoteSeries: z
    .string()
    .regex(/^[A-Z0-9]{1,3}$/)
    .default('TMC'),
});
export type Seller = z.output<typeof Seller>;

/** Reads the seller from a JSON file; without a path, a seller without tax. @throws Error that names the file and each problem */
export function loadSeller(path: string): Seller {
  if (path === '') return Seller.parse({ name: 'Tidemark' });
  try {
    return Seller.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    throw new Error(`TIDEMARK_SELLER: ${path}: ${messageOf(error)}`, { cause: error });
  }
}
