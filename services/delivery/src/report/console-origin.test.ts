import { describe, expect, it } from '@jest/globals';
import { DEFAULT_PUBLIC_URL } from '../config.ts';
import { consoleOrigin } from './console-origin.ts';

describe('consoleOrigin', () => {
  it('is CONSOLE_URL, otherwise the origin of PUBLIC_URL, so that mails have links wherever an address is configured', () => {
    const publicUrl = 'https://tidemark.example/v1';
    expect(consoleOrigin({ consoleUrl: 'https://console.example', publicUrl })).toBe('https://console.example');
    expect(consoleOrigin({ consoleUrl: '', publicUrl })).toBe('https://tidemark.example');
  });

  it('is empty where neither is configured', () => {
    expect(consoleOrigin({ consoleUrl: '', publicUrl: DEFAULT_PUBLIC_URL })).toBe('');
  });
});
