import { describe, expect, it } from '@jest/globals';
import { countCpuMs } from '@tidemark/testkit';
import { maskOf } from './block-mask.ts';

describe('maskOf', () => {
  it.each([
    ['Updated 3 hours ago', 'Updated {age}'],
    ['vor 5 Stunden', 'vor {age}'],
    ['il y a 2 jours', 'il y a {age}'],
    ['hace 4 horas', 'hace {age}'],
    ['há 3 dias', 'há {age}'],
    ['2 giorni fa', '{age}'],
    ['3 dagen geleden', '{age}'],
    ['2 dni temu', '{age}'],
    ['3 часа назад', '{age}'],
    ['5 gün önce', '{age}'],
    ['3日前', '{age}'],
    ['3 天前', '{age}'],
    ['3시간 전', '{age}'],
    ['just now', '{age}'],
    ['Number of views (4099)', 'Number of views ({count})'],
    ['4.099 Aufrufe', '{count}'],
    ['1 200 просмотров', '{count}'],
    ['5 March 2026', '{date}'],
    ['March 5, 2026 at 10:30 pm', '{date} at {time}'],
    ['2026年3月5日', '{date}'],
    ['Wednesday, February 01, 2017', '{weekday date}'],
    ['17 people are reading this page now', '{count} this page now'],
    ['rendered 2026-01-12T11:47:42.210Z', 'rendered {timestamp}'],
    ['Due 2026-01-12', 'Due {date}'],
    ['12.03.2026', '{date}'],
    ['id 550e8400-e29b-41d4-a716-446655440000', 'id {uuid}'],
    ['build deadbeef12', 'build {hex}'],
    ['token abcDEF123456ghiJKL789', 'token {base64}'],
  ])('masks %j as %j', (text, mask) => {
    expect(maskOf(text)).toBe(mask);
  });

  it.each(['Price: $129.00', 'Version 1.20', 'Room 12', 'Plain words', 'internationalisation', 'may 500 people come'])(
    'returns no mask for %j',
    (text) => {
      expect(maskOf(text)).toBeUndefined();
    },
  );

  it('takes time linear in the length of hostile text', () => {
    const cpuMs = countCpuMs();
    for (const piece of ['1 ', '1,', 'a1A', '1 vor 1 ', '1/1/', 'march ', 'il y a '])
      maskOf(piece.repeat(2_000).slice(0, 2_000));
    expect(cpuMs()).toBeLessThan(2_000);
  });
});
