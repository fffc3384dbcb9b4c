import { expect, it } from '@jest/globals';
import { MAX_TEMPLATES, sketchAnchors, TemplateRegistry } from './templates.ts';

const sketchOf = (name: string, more = 0): number[] =>
  sketchAnchors({ anchors: Array.from({ length: 40 }, (_, at) => (at < more ? `other>${at}` : `${name}>${at}`)) });

it('TemplateRegistry assigns pages of one folder with similar element paths to one template', () => {
  const templates = new TemplateRegistry([]);
  const first = templates.assign('a.example/p', sketchOf('div'));
  expect(templates.assign('a.example/p', sketchOf('div', 1))).toBe(first);
  expect(templates.assign('a.example/p', sketchOf('div', 20))).not.toBe(first);
  expect(templates.assign('a.example/q', sketchOf('div'))).not.toBe(first);
});

it('TemplateRegistry recognises templates of earlier runs', () => {
  const before = new TemplateRegistry([]);
  const id = before.assign('a.example/p', sketchOf('div'));
  const after = new TemplateRegistry(before.added);
  expect(after.assign('a.example/p', sketchOf('div'))).toBe(id);
  expect(after.added).toEqual([]);
});

it('TemplateRegistry stops creating templates at its limit', () => {
  const templates = new TemplateRegistry([]);
  for (let at = 0; at < 1_000; at += 1) templates.assign('a.example/p', sketchOf(`made${at}`));
  expect(templates.added).toHaveLength(MAX_TEMPLATES);
  expect(templates.assign('a.example/p', sketchOf('one more'))).toBe('a.example/p *');
});
