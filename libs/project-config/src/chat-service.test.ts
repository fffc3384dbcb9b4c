import { describe, expect, it } from '@jest/globals';
import { serviceOf } from './chat-service.ts';

const HOOK = 'abcdefghijklmnopqrstuvwx12';

describe('serviceOf', () => {
  it.each([
    ['slack', 'https://hooks.slack.com/services/T0/B0/abc'],
    ['teams', 'https://prod-12.westeurope.logic.azure.com:443/workflows/abc/triggers/manual/paths/invoke?sig=x'],
    [
      'teams',
      'https://default1.aa.environment.api.powerplatform.com/powerautomate/automations/direct/workflows/abc/triggers/manual',
    ],
    ['teams', 'https://acme.webhook.office.com/webhookb2/abc@def/IncomingWebhook/ghi/jkl'],
    ['discord', 'https://discord.com/api/webhooks/123/abc'],
    ['discord', 'https://ptb.discord.com/api/v10/webhooks/123/abc'],
    ['google_chat', 'https://chat.googleapis.com/v1/spaces/AAA/messages?key=k&token=t'],
    ['mattermost', `https://chat.example/hooks/${HOOK}`],
    ['mattermost', `http://chat.example:8065/team/hooks/${HOOK}`],
  ])('returns %s by host and path', (service, url) => {
    expect(serviceOf(url)).toEqual({ service });
  });

  it.each([
    [
      'of an unknown service',
      'https://chat.example/webhook/1',
      /Slack.*Microsoft Teams.*Discord.*Google Chat.*Mattermost/,
    ],
    [
      'of a host that only looks like one',
      'https://hooks.slack.com.evil.example/services/T0/B0/abc',
      /expected the URL of an incoming webhook of Slack/,
    ],
    [
      'of a host with the suffix of a known host',
      'https://evildiscord.com/api/webhooks/123/abc',
      /expected the URL of an incoming webhook of Slack/,
    ],
    ['with another path of a known host', 'https://discord.com/channels/1/2', /Discord: discord\.com\/api\/webhooks/],
    [
      'of Slack’s workflows, which take other messages',
      'https://hooks.slack.com/triggers/T0/1/abc',
      /Slack: hooks\.slack/,
    ],
    ['without TLS', 'http://hooks.slack.com/services/T0/B0/abc', /https/],
    ['with another scheme', 'ftp://hooks.slack.com/services/T0/B0/abc', /Slack.*Mattermost/],
    ['that is none', 'hooks', /Slack.*Mattermost/],
  ])('returns a reason for a URL %s', (_, url, reason) => {
    expect(serviceOf(url)).toEqual({ reason: expect.stringMatching(reason) });
  });
});
