import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ALERTS } from './alerts.ts';
import { DASHBOARDS } from './dashboards.ts';
import { renderFiles } from './render-files.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const SECTIONS = ['Meaning', 'Impact', 'Check', 'Fix'] as const;

describe('the files of the chart', () => {
  it('are those that deploy/observability describes; tools/observability.ts --write writes them', () => {
    for (const [path, text] of renderFiles()) {
      expect(existsSync(join(ROOT, path)) && readFileSync(join(ROOT, path), 'utf8')).toBe(text);
    }
    const shipped = readdirSync(join(ROOT, 'helm/tidemark/files/dashboards')).map((name) => name.replace('.json', ''));
    expect(shipped.toSorted()).toEqual(DASHBOARDS.map(({ name }) => name).toSorted());
  });
});

describe('a dashboard', () => {
  it.each(DASHBOARDS)('$name has a description of every panel, and no panel twice', ({ panels }) => {
    expect(panels.filter(({ description }) => description.length < 15)).toEqual([]);
    expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
  });

  it.each(DASHBOARDS)('$name aggregates every query, and takes the rate of every counter', ({ panels }) => {
    for (const { expr } of panels.flatMap(({ queries }) => queries)) {
      expect(expr).toMatch(/\b(sum|max|count)\b/);
      for (const [metric] of expr.matchAll(/tidemark_\w+_(?:total|count|bucket)\b[^[]{0,200}\[/g))
        expect(expr).toContain(`rate(${metric.split(/[{[]/)[0]}`);
    }
  });
});

describe('the runbooks', () => {
  const text = readFileSync(join(ROOT, 'docs/runbooks.md'), 'utf8');
  const headings = [...text.matchAll(/^## (\w+)$/gm)].map(([, name]) => name);

  it('have a heading for each alert, and none for another', () => {
    expect(headings.filter((name) => name?.startsWith('Tidemark')).toSorted()).toEqual(
      ALERTS.map(({ name }) => name).toSorted(),
    );
  });

  it.each(ALERTS)('state meaning, impact, check and fix of $name', ({ name }) => {
    const runbook = text.slice(text.indexOf(`## ${name}\n`)).split(/^## /m)[1] ?? '';
    for (const section of SECTIONS) expect(runbook).toContain(`**${section}.**`);
  });
});
