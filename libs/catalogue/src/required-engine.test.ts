import { expect, it } from '@jest/globals';
import { type EngineSettings, requiredEngine } from './required-engine.ts';

const settings = (changed: Partial<EngineSettings>): EngineSettings => ({
  renderJs: 'auto',
  maxTier: 'browser',
  screenshot: 'none',
  actions: [],
  ...changed,
});

it.each([
  ['no engine by default', {}, undefined],
  ['the browser for scripts on every page', { renderJs: 'always' }, 'browser'],
  ['the browser for a screenshot', { screenshot: 'full' }, 'browser'],
  ['the browser for actions', { actions: [{}] }, 'browser'],
  ['the browser to wait for a selector', { waitFor: { ms: 0 } }, 'browser'],
  ['no engine for a fixed wait', { waitFor: { ms: 500 } }, undefined],
  ['http where scripts are switched off', { renderJs: 'never' }, 'http'],
  ['http where the tier is limited to it', { maxTier: 'http' }, 'http'],
] as const)('requiredEngine returns %s', (_, changed, expected) => {
  expect(requiredEngine(settings(changed))).toBe(expected);
});
