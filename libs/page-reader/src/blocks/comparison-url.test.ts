import { describe, expect, it } from '@jest/globals';
import { comparisonUrl, imageName, imageUrl } from './comparison-url.ts';

describe('comparisonUrl', () => {
  it.each([
    ['http://a.example/x', 'https://a.example/x'],
    ['https://a.example/x#part', 'https://a.example/x'],
    ['https://a.example/app#!/route', 'https://a.example/app#!/route'],
    ['https://a.example/x?b=2&a=1', 'https://a.example/x?a=1&b=2'],
    ['https://a.example/x?a=2&a=1', 'https://a.example/x?a=2&a=1'],
    ['https://a.example/x?utm_source=s&gclid=g&id=7', 'https://a.example/x?id=7'],
    ['https://a.example/x?PHPSESSID=abc', 'https://a.example/x'],
    ['https://a.example/(S(abcdefgh12))/x', 'https://a.example/x'],
    ['https://a.example/x;jsessionid=1F?y=2', 'https://a.example/x?y=2'],
    ['https://a.example/f?Expires=1735689600&Signature=aB3~x_&Key-Pair-Id=APKA1&page=2', 'https://a.example/f?page=2'],
    ['https://a.example/f?sv=2023-01-03&se=2025-01-01&sr=b&sp=r&sig=aB3%3D', 'https://a.example/f'],
    ['https://a.example/x?_=1735689600123', 'https://a.example/x'],
    ['https://a.example/brochure.pdf?v=12', 'https://a.example/brochure.pdf'],
    ['https://a.example/x?zx=9f8e7d6c5b4a39281706&id=7', 'https://a.example/x?id=7'],
    ['https://a.example/x?state=california', 'https://a.example/x?state=california'],
    ['https://a.example/x?state=Zk3nQ8vXb2LwR7', 'https://a.example/x'],
    ['https://a.example/watch?v=dQw4w9WgXcQ', 'https://a.example/watch?v=dQw4w9WgXcQ'],
    [
      'https://a.example/view?doc=550e8400-e29b-41d4-a716-446655440000',
      'https://a.example/view?doc=550e8400-e29b-41d4-a716-446655440000',
    ],
    [
      'https://out.example/r/9f8e7d6c5b4a39281706/go?u=https%3A%2F%2Fb.example%2Fx%3Futm_source%3Ds',
      'https://out.example/r/{token}/go?u=https%3A%2F%2Fb.example%2Fx',
    ],
    ['mailto:a@b.example', 'mailto:a@b.example'],
    ['https://a.example/cdn-cgi/l/email-protection#12', undefined],
  ])('%s: %s', (url, compared) => {
    expect(comparisonUrl(url)).toBe(compared);
  });

  it('leaves its own result unchanged', () => {
    const once = comparisonUrl('http://a.example/x?z=1&utm_medium=m&b=%7e') ?? '';
    expect(comparisonUrl(once)).toBe(once);
  });

  it.each([
    ['https://a.example/img/chart.3f2a9c1d.png?v=2', 'chart'],
    ['https://cdn.example/team-photo-300x200@2x.webp', 'team-photo'],
    ['https://cdn.example/9f8e7d6c5b4a.jpg', ''],
    ['https://a.example/report2024.png', 'report2024'],
  ])('names an image by its file: %s, %j', (url, name) => {
    expect(imageName(url)).toBe(name);
  });

  it('drops build hash and size from an image URL of the head', () => {
    expect(imageUrl('https://a.example/og.VdC3GQqW.png?w=1200')).toBe('https://a.example/og.png');
  });
});
