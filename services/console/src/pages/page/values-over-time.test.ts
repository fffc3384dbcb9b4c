import { describe, expect, it } from '@jest/globals';
import { type ReadValues, valuesOverTime } from './values-over-time.ts';

const reading = (day: number, more: Partial<ReadValues>): ReadValues => ({
  crawledAt: `2026-11-0${day}T00:00:00.000Z`,
  price: null,
  currency: null,
  fields: null,
  ...more,
});
const at = (day: number) => `2026-11-0${day}T00:00:00.000Z`;

describe('the values of a page over time', () => {
  it('are its prices in the newest currency', () => {
    const readings = [
      reading(1, { price: 65, currency: 'EUR' }),
      reading(2, {}),
      reading(3, { price: 49, currency: 'EUR' }),
    ];
    expect(valuesOverTime(readings).series).toEqual([
      {
        field: undefined,
        currency: 'EUR',
        points: [
          { at: at(1), value: 65 },
          { at: at(3), value: 49 },
        ],
      },
    ]);
  });

  it('are its numeric fields, with signs of currencies and units', () => {
    const readings = [
      reading(1, { fields: { fee: '€49.50', share: '12 %' } }),
      reading(2, { fields: { fee: 51, share: 13 } }),
    ];
    const { series, changes } = valuesOverTime(readings);
    expect(series.map(({ field, points }) => [field, points.map(({ value }) => value)])).toEqual([
      ['fee', [49.5, 51]],
      ['share', [12, 13]],
    ]);
    expect(changes).toEqual([]);
  });

  it('are the changes of other fields, newest first, and no guess at the separators of a number', () => {
    const readings = [
      reading(1, { fields: { state: 'open', total: '1.299,00' } }),
      reading(2, { fields: { state: 'closed', total: '1.299,00' } }),
      reading(3, { fields: { state: null, total: '1.399,00' } }),
    ];
    expect(valuesOverTime(readings)).toEqual({
      series: [],
      changes: [
        { at: at(3), field: 'state', old: 'closed', now: null },
        { at: at(3), field: 'total', old: '1.299,00', now: '1.399,00' },
        { at: at(2), field: 'state', old: 'open', now: 'closed' },
      ],
    });
  });
});
