import { describe, expect, it } from '@jest/globals';
import { blankAlert, readAlerts, writeAlerts } from './alert-rows.ts';

const RULES = [
  { id: 'price', name: 'Price', when: 'product.price.after < 100' },
  {
    id: 'recall',
    name: 'Recall',
    when: 'mentions(entry.text_added, "recall")',
    channels: ['chat'],
    initial: true,
    cooldown_minutes: 0,
    deliver: 'weekly',
    at: '09:30',
    quiet: { from: '22:00', to: '07:00' },
  },
];

describe('rules as forms', () => {
  it('are written as they were read, without defaults', () => {
    const rows = readAlerts(JSON.stringify(RULES));
    expect(JSON.parse(writeAlerts(rows ?? []))).toEqual(RULES);
  });

  it('are none for an empty value', () => {
    expect(readAlerts('')).toEqual([]);
  });

  it.each(['{}', '[5]', '[{"id":"a","unknown":1}]', '[{"deliver":"hourly"}]', '[', '[{"channels":"all"}]'])(
    'do not exist for %s, which is edited as JSON',
    (text) => {
      expect(readAlerts(text)).toBeUndefined();
    },
  );

  it('get an id that no other rule has', () => {
    const first = blankAlert([]);
    expect([first.id, blankAlert([first]).id, blankAlert([{ ...first, id: 'rule-2' }]).id]).toEqual([
      'rule-1',
      'rule-2',
      'rule-3',
    ]);
  });
});
