import { expect, it } from '@jest/globals';
import { z } from 'zod';
import { config } from './config.ts';

it.each([undefined, '', ' '])('MAIL_FROM falls back to the default sender where it is %j', (from) => {
  const { MAIL_FROM } = z.object({ MAIL_FROM: config.MAIL_FROM }).parse({ MAIL_FROM: from });
  expect(MAIL_FROM).toBe('Tidemark <tidemark@localhost>');
});
