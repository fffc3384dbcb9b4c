import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { serveSite, startTestPool, type TestPool, type TestSite } from './test-pool.ts';

const TEXT = '<p>Enough text to be a page and not a shell that waits for its content. </p>'.repeat(10);

/** Reads the properties that automation checks read. */
const READ_PROPERTIES = `${TEXT}<pre id=found></pre><script>
  (async () => {
    const gl = document.createElement('canvas').getContext('webgl');
    const info = gl?.getExtension('WEBGL_debug_renderer_info');
    const of = (read) => { try { return read(); } catch (e) { return String(e); } };
    const state = await navigator.permissions.query({ name: 'notifications' }).then((p) => p.state, String);
    const found = {
      webdriver: navigator.webdriver, ownWebdriver: Object.getOwnPropertyNames(navigator).includes('webdriver'),
      plugins: navigator.plugins.length, mimeTypes: navigator.mimeTypes.length,
      pluginsKind: Object.prototype.toString.call(navigator.plugins),
      language: navigator.language, languages: navigator.languages, languagesFrozen: Object.isFrozen(navigator.languages),
      chrome: typeof window.chrome, app: typeof window.chrome?.app, loadTimes: typeof window.chrome?.loadTimes, runtime: typeof window.chrome?.runtime,
      permission: of(() => Notification.permission), permissionState: state,
      vendor: navigator.vendor, webgl: of(() => info ? gl.getParameter(info.UNMASKED_VENDOR_WEBGL) : ''),
      cores: navigator.hardwareConcurrency, outer: outerWidth > 0 && outerHeight >= innerHeight,
      automation: Object.keys(window).concat(Object.keys(document)).filter((key) => /cdc_|selenium|webdriver|phantom|puppeteer|tidemark/i.test(key)),
      stack: (() => { try { null.f(); } catch (e) { return e.stack; } })(),
    };
    document.getElementById('found').textContent = encodeURIComponent(JSON.stringify(found));
  })();</script>`;

const Found = z.record(z.string(), z.unknown());

let site: TestSite;
let pool: TestPool;
let found: z.infer<typeof Found>;

beforeAll(async () => {
  let acceptLanguage: string | undefined;
  site = await serveSite({
    '/': (request, response) => {
      acceptLanguage = request.headers['accept-language'];
      response.setHeader('content-type', 'text/html').end(READ_PROPERTIES);
    },
  });
  pool = await startTestPool([site]);
  const { html } = await pool.render(`${site.url}/`);
  found = Found.parse(JSON.parse(decodeURIComponent(/<pre id="found">(.*?)<\/pre>/.exec(html)?.[1] ?? '%7B%7D')));
  found['acceptLanguage'] = acceptLanguage;
});

afterAll(async () => {
  await pool?.close();
  await site?.close();
});

describe('the properties that reveal automation', () => {
  it('do not include webdriver or a replacement of it', () => {
    expect(found).toMatchObject({ webdriver: false, ownWebdriver: false, automation: [] });
  });

  it('have the same language everywhere', () => {
    expect(found).toMatchObject({ language: 'en-US', languages: ['en-US', 'en'], languagesFrozen: true });
    expect(found['acceptLanguage']).toMatch(/^en-US,en/);
  });

  it('include the objects of Chrome', () => {
    expect(found).toMatchObject({ vendor: 'Google Inc.', chrome: 'object', app: 'object', loadTimes: 'function' });
    // As in any Chrome, undefined on plain http.
    expect(found['runtime']).toBe('undefined');
  });

  it('have consistent plugins and MIME types of the right class', () => {
    expect(found).toMatchObject({ pluginsKind: '[object PluginArray]', plugins: 0, mimeTypes: 0 });
  });

  it('have no denied permission without a prompt', () => {
    expect(found['permissionState']).toBe('prompt');
  });

  it('include a known graphics vendor, processor cores and outer window sizes', () => {
    expect(found['webgl']).toMatch(/^Google Inc\./);
    expect(found).toMatchObject({ cores: 4, outer: true });
  });

  it('include no name of the automation in error stacks', () => {
    expect(found['stack']).not.toMatch(/puppeteer|evaluate|pptr|tidemark/i);
  });
});
