import { z } from 'zod';

/** Reads a stored count of URLs. Rows that were written before the count was called `urls` have it as `addresses`. */
export function withUrlCount<Row extends z.ZodType<{ readonly urls: number }>>(row: Row) {
  return z.preprocess((value) => {
    const earlier = Earlier.safeParse(value);
    return earlier.success ? { ...earlier.data, urls: earlier.data.addresses } : value;
  }, row);
}

const Earlier = z.looseObject({ addresses: z.number() });
