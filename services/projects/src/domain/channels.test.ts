import { describe, expect, it } from '@jest/globals';
import { masking } from '../project-config/masking.ts';
import { channelsOf, maskChannels } from './channels.ts';

const owner = { id: 'prj_1', name: 'Docs', seed: 'https://site.test/', timezone: 'Europe/Berlin' };

describe('channelsOf', () => {
  it('returns empty channels for a config without them', () => {
    expect(channelsOf({ ...owner, config: { max_pages: 5 } })).toEqual({
      projectId: 'prj_1',
      projectName: 'Docs',
      seed: 'https://site.test/',
      webhookUrl: undefined,
      webhookEvents: [],
      webhookMetadataJson: undefined,
      notifyMinWords: 0,
      notifyEmails: [],
      chatUrl: undefined,
      digestConnectionId: undefined,
      digestFocus: undefined,
      alerts: [],
      timezone: 'Europe/Berlin',
    });
  });

  it('returns all channels of a config', () => {
    const config = {
      webhook_url: 'https://hooks.example/in',
      webhook_events: ['run.finished'],
      webhook_metadata: { team: { id: 5 } },
      notify_min_words: 3,
      notify_emails: ['harbour@example.com'],
      chat_url: 'https://hooks.example/secret',
      change_digest: { connection_id: 'con_1', focus: 'prices' },
    };
    expect(channelsOf({ ...owner, config })).toMatchObject({
      webhookUrl: 'https://hooks.example/in',
      webhookEvents: ['run.finished'],
      webhookMetadataJson: '{"team":{"id":5}}',
      notifyMinWords: 3,
      notifyEmails: ['harbour@example.com'],
      chatUrl: 'https://hooks.example/secret',
      digestConnectionId: 'con_1',
      digestFocus: 'prices',
    });
  });

  it('gives channels whose chat URL can be masked', () => {
    const config = { chat_url: 'https://hooks.example/services/T1/secret', webhook_url: 'https://hooks.example/in' };
    expect(maskChannels(channelsOf({ ...owner, config }), masking)).toMatchObject({
      chatUrl: 'https://hooks.example/***',
      webhookUrl: 'https://hooks.example/in',
    });
  });

  it('ignores values of the wrong type', () => {
    const config = { webhook_url: null, webhook_events: 'all', notify_emails: [null], change_digest: 'yes' };
    expect(channelsOf({ ...owner, config })).toMatchObject({
      webhookUrl: undefined,
      webhookEvents: [],
      notifyEmails: [],
    });
  });
});
