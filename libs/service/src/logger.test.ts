import { expect, it } from '@jest/globals';
import { createLogger } from './logger.ts';

const SECRET = 'service_hunter2';

function linesOf(write: (log: ReturnType<typeof createLogger>) => void): string[] {
  const lines: string[] = [];
  write(createLogger('scrape', 'info', { write: (line: string) => void lines.push(line) }));
  return lines;
}

it.each(['secret', 'key', 'authorization', 'password', 'cookie', 'cookies', 'headers', 'webhookUrl', 'secrets'])(
  'masks a field called %s, at the top and one level down',
  (field) => {
    const lines = linesOf((log) => {
      log.info({ [field]: SECRET }, 'at the top');
      log.error({ request: { [field]: SECRET } }, 'inside');
    });
    expect(lines).toHaveLength(2);
    for (const line of lines) {
      expect(line).not.toContain(SECRET);
      expect(line).toContain('***');
    }
  },
);

it('writes one JSON line per entry, with the name of the service', () => {
  const [line = ''] = linesOf((log) => log.info({ request_id: 'req_1' }, 'two\nlines'));
  expect(JSON.parse(line)).toMatchObject({ service: 'scrape', request_id: 'req_1', msg: 'two\nlines' });
  expect(line.trimEnd()).not.toContain('\n');
});
