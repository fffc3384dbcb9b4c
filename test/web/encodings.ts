import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { body, page } from './responses.ts';
import type { Serve } from './server.ts';

// The same text in legacy encodings; Node encodes only UTF-8 and UTF-16.
const GB18030 =
  's7HLrsO/zOzVx8Lkwb20zqOs0ruw2cvEyq7E6sC019zT0MjLvMfPwsTH0ru31tbToaO12tK7zru/tMrYyMvKx9K7zrvNy9DdtcTS/bq91LGjrMv9x9fK1rutuPHX06OsuPjDv9K70rOx4LrFoaPL/bzHz8LLrs67oaK358/yo6zS1Lyw0+a0rMrHt/Gz9rqjoaO427/ayui/o9auuvOjrLbByv3Su9K51q685Mz4wcvKrtK7wOXD16OsvLjKrsTqwO/Du9PQyMvE3Mu1x+XKx7qjw+bJz8n9wcujrLu5ysex6rPfz8KzwcHLoaPIpcTqtLrM7KOs0rvD+9GnyfrFxM/CwuvNt8/Cw+a1xM2ttqSjrNPrvczH+LW1sLjA77XEzbzWvbbU1dWjrLvYtPDBy9XiuPbOyszioaM=';
const SHIFT_JIS =
  'kqqCzYjqk/qCyZPxk3iWnoK/iPiCq4K1gUGVU45sj1yUToLMgqCCooK+kk6CqYKqgruCzI6ejY+C8I+RgquXr4LfgsSCq4LcgrWCvYFCjcWPiYLMlNSQbILNiPiR3oK1gr2QhZDmiMST4JBsgsWBQY6plaqCxYxykPyC8Ij4gquBQYK3gteCxILMg3mBW4NXgsmU1I2GgvCCwoKvgtyCtYK9gUKQhYjKgsaVl4FBgruCtYLEi5mRRIKqj2+CvYKpgseCpIKpgvCLTJhegrWC3IK1gr2BQo1ggqqfsp/WgrOC6oK9gsaCq4FBltqQt4Logs2I6pTTgsWPXIjqg1qDk4NgkrWCy4/jgqqC6ILcgrWCvYFC';
const RUSSIAN =
  'Прилив приходит дважды в день, и сто сорок лет кто-нибудь записывает минуту. Первым смотрителем была отставной лоцман, она сама линовала журналы и нумеровала страницы. Она отмечала высоту воды, ветер и вышли ли в море рыбацкие лодки. Когда гавань углубили, показания за ночь подскочили на одиннадцать сантиметров, и десятилетиями никто не мог сказать, поднялось ли море или опустилась рейка. Прошлой весной студентка сфотографировала медный болт под причалом и сравнила его с чертежом из приходского архива.';

/** Cyrillic letters and ASCII as windows-1251: https://encoding.spec.whatwg.org/index-windows-1251.txt */
const windows1251 = (text: string): Buffer =>
  Buffer.from(
    Array.from(text, (letter) => {
      const code = letter.charCodeAt(0);
      return code >= 0x410 && code <= 0x44f ? code - 0x410 + 0xc0 : code;
    }),
  );

const around = (title: string, meta: string, content: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`<!doctype html><html><head>${meta}<title>${title}</title></head><body><main><p>`),
    content,
    Buffer.from('</p></main></body></html>'),
  ]);

const meta = (charset: string): string => `<meta http-equiv="Content-Type" content="text/html; charset=${charset}">`;
const undeclared = { 'content-type': 'text/html' };

export const charsets: Readonly<Record<string, Serve>> = {
  '/charset/windows-1251': body(around('Tides', '', windows1251(RUSSIAN)), {
    'content-type': 'text/html; charset=windows-1251',
  }),
  '/charset/gb18030': body(around('Tides', meta('gb18030'), Buffer.from(GB18030, 'base64')), undeclared),
  '/charset/shift_jis': body(around('Tides', meta('Shift_JIS'), Buffer.from(SHIFT_JIS, 'base64')), undeclared),
  '/charset/utf-16': body(Buffer.from(`\ufeff${page('article.html').toString('utf8')}`, 'utf16le'), undeclared),
};

const article = page('article.html');
const BOMB_BYTES = 64 * 1024 * 1024;

export const codings: Readonly<Record<string, Serve>> = {
  '/coding/gzip': body(gzipSync(article), { 'content-encoding': 'gzip' }),
  '/coding/deflate': body(deflateSync(article), { 'content-encoding': 'deflate' }),
  '/coding/br': body(brotliCompressSync(article), { 'content-encoding': 'br' }),
  '/coding/zstd': body(zstdCompressSync(article), { 'content-encoding': 'zstd' }),
  '/coding/bomb': (request, response, site) =>
    body(gzipSync(Buffer.alloc(BOMB_BYTES)), { 'content-encoding': 'gzip' })(request, response, site),
};
