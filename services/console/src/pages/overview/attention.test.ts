import { describe, expect, it } from '@jest/globals';
import type { Channel, ProjectSummary } from '@tidemark/sdk';
import { attentionOf } from './attention.ts';

const project = (id: string, more: Partial<ProjectSummary>): ProjectSummary => ({
  id,
  name: id,
  reference: null,
  tags: [],
  seed: 'https://example.com/',
  schedule: 'daily',
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
const channel = (state: Channel['health']['state']): Channel => ({
  projectId: 'prj_1',
  projectName: null,
  seed: 'https://example.com/',
  kind: 'webhook',
  service: null,

  url: 'https://hooks.example/',
  events: [],
  health: { state, lastDeliveredAt: null, lastFailedAt: null, lastStatus: 500, lastError: 'no', waiting: 0, paused: 2 },
});
const due = { dueAt: '2026-01-01T00:00:00Z', status: 'refused', why: 'no credits', runId: null, missed: 0 } as const;

describe('what needs attention', () => {
  it('is listed by urgency: credits, failing sites, webhooks that stopped, refused starts', () => {
    const projects = [project('due', { lastDue: due }), project('bad', { health: 'failing' }), project('fine', {})];
    const channels = [channel('ok'), channel('paused')];
    const credits = { remaining: 3, reserved: 0, usedThisMonth: 0 };
    expect(attentionOf({ projects, channels, credits }).map(({ kind }) => kind)).toEqual([
      'credits',
      'failing',
      'webhook',
      'skipped',
    ]);
  });

  it('is nothing where sites are healthy and the plan has no credit limit', () => {
    const credits = { remaining: null, reserved: 0, usedThisMonth: 9 };
    expect(attentionOf({ projects: [project('fine', {})], channels: [], credits })).toEqual([]);
  });
});
