import { describe, expect, it } from '@jest/globals';
import { USUAL_CONTENT } from '../options/usual-content.ts';
import { readPage } from '../page/read-page.ts';
import { detectLanguage } from './detect-language.ts';

const TEXTS: Readonly<Record<string, string>> = {
  en: 'The harbour was quiet that morning, and the boats, tied up two by two, hardly moved at all while the fishermen slept on.',
  de: 'Der Hafen war an diesem Morgen ganz ruhig, und die Boote, die paarweise vertäut lagen, bewegten sich kaum, während die Fischer noch schliefen.',
  fr: 'Le port était calme ce matin-là, et les bateaux, amarrés deux par deux, ne bougeaient presque pas pendant que les pêcheurs dormaient encore.',
  es: 'El puerto estaba tranquilo aquella mañana y los barcos, amarrados de dos en dos, apenas se movían mientras los pescadores todavía dormían.',
  ru: 'В то утро гавань была тиха, и лодки, привязанные попарно, почти не двигались, пока рыбаки ещё спали в своих маленьких домах на берегу моря. Только старый смотритель маяка уже встал и смотрел, как над водой поднимается солнце.',
  ja: 'その朝の港はとても静かで、二艘ずつつながれた船はほとんど動かず、漁師たちはまだ海辺の小さな家で眠っていました。',
  zh: '那天早晨港口很安静，船只两两系在一起，几乎没有移动，渔民们还在海边的小房子里睡觉，没有人说话。',
};
const languageOf = (html: string): string | undefined =>
  readPage({ html, url: 'https://site.example/', content: USUAL_CONTENT, outputs: new Set() }).language;

describe('detectLanguage', () => {
  it('is used only if the markup declares no language', () => {
    expect(languageOf(`<html lang="pt-BR"><p>${TEXTS['en']}`)).toBe('pt-br');
    expect(languageOf(`<meta property="og:locale" content="de_DE"><p>${TEXTS['en']}`)).toBe('de-de');
    for (const [code, text] of Object.entries(TEXTS)) expect(languageOf(`<p>${text}</p>`)).toBe(code);
  });

  it('returns no language for a text with too few words', () => {
    expect(languageOf('<p>The harbour was quiet.</p>')).toBeUndefined();
    expect(detectLanguage('')).toBeUndefined();
    expect(detectLanguage('1 2 3 4 5 6 7 8 9 10 '.repeat(5))).toBeUndefined();
  });
});
