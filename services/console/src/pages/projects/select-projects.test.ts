import { describe, expect, it } from '@jest/globals';
import type { ProjectSummary } from '@tidemark/sdk';
import { selectProjects } from './select-projects.ts';

const project = (name: string | null, seed: string, more: Partial<ProjectSummary> = {}): ProjectSummary => ({
  id: `prj_${seed}`,
  name,
  reference: null,
  tags: [],
  seed,
  schedule: 'manual',
  timezone: 'UTC',
  retention: 30,
  configVersion: 1,

  health: 'ok',
  healthSince: null,
  lastRun: null,
  nextRunAt: null,
  lastDue: null,

  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:00Z',
  ...more,
});
const all = [
  project('Zebra', 'https://zebra.example/'),
  project(null, 'https://apple.example/', { health: 'failing' }),
  project('Middle', 'https://other.example/apple', { nextRunAt: '2026-02-01T00:00:00Z' }),
];
const namesOf = (list: readonly ProjectSummary[]) => list.map(({ seed }) => new URL(seed).host);

describe('the list of projects', () => {
  it('contains the projects whose name or URL has every word of the filter', () => {
    expect(namesOf(selectProjects(all, { q: 'APPLE' }))).toEqual(['apple.example', 'other.example']);
    expect(namesOf(selectProjects(all, { q: 'apple middle' }))).toEqual(['other.example']);
    expect(namesOf(selectProjects(all, { health: 'failing' }))).toEqual(['apple.example']);
  });

  it('contains the projects with a tag', () => {
    const tagged = [...all, project('Harbour', 'https://harbour.example/', { tags: ['boats', 'prices'] })];
    expect(namesOf(selectProjects(tagged, { tag: 'prices' }))).toEqual(['harbour.example']);
    expect(namesOf(selectProjects(tagged, { q: 'boats' }))).toEqual(['harbour.example']);
  });

  it('is ordered by name or URL, by next run with unscheduled projects last, and otherwise as it is', () => {
    expect(namesOf(selectProjects(all, { sort: 'site' }))).toEqual(['apple.example', 'other.example', 'zebra.example']);
    expect(namesOf(selectProjects(all, { sort: '-site' }))).toEqual([
      'zebra.example',
      'other.example',
      'apple.example',
    ]);
    expect(namesOf(selectProjects(all, { sort: 'nextRun' }))[0]).toBe('other.example');
    expect(namesOf(selectProjects(all, {}))).toEqual(['zebra.example', 'apple.example', 'other.example']);
  });
});
