import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { WEBHOOK_SAMPLES } from './webhook-samples.ts';

const folder = mkdtempSync(join(tmpdir(), 'tm-samples-'));
afterAll(() => rmSync(folder, { recursive: true }));

const SECRET = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;
const OTHER = `whsec_${Buffer.from('fedcba9876543210fedcba9876543210').toString('base64')}`;
const BODY = '{"event":"run.finished","data":{"text":"größer"}}';

/** How a sample is called with `{body, headers, secret}` as JSON on stdin; it prints the event of the verified message. */
const PROGRAMS: Readonly<Record<string, { readonly command: string; readonly file: string; readonly call: string }>> = {
  TypeScript: {
    command: process.execPath,
    file: 'verify.ts',
    call: `import { readFileSync } from 'node:fs';
const { body, headers, secret } = JSON.parse(readFileSync(0, 'utf8'));
console.log(verify(body, headers, secret).event);`,
  },
  Python: {
    command: 'python3',
    file: 'verify.py',
    call: `import sys
given = json.load(sys.stdin)
print(verify(given["body"].encode(), given["headers"], given["secret"])["event"])`,
  },
  PHP: {
    command: 'php',
    file: 'verify.php',
    call: `$given = json_decode(file_get_contents('php://stdin'), true);
echo verify($given['body'], $given['headers'], $given['secret'])['event'], "\\n";`,
  },
};

/** Returns the headers of a message signed with one or several secrets. */
function headersOf(body: string, secrets: readonly string[], at = new Date()) {
  const signatures = secrets.map((secret) => new Webhook(secret).sign('whd_1', at, body));
  return {
    'webhook-id': 'whd_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': signatures.join(' '),
  };
}

const ran = (language: string, input: { body: string; headers: Record<string, string>; secret: string }) => {
  const { command = '', file = '' } = PROGRAMS[language] ?? {};
  return spawnSync(command, [join(folder, file)], { input: JSON.stringify(input), encoding: 'utf8', timeout: 20_000 });
};

it('every sample has a program that tests it', () => {
  expect(WEBHOOK_SAMPLES.map(({ language }) => language)).toEqual(Object.keys(PROGRAMS));
});

// Node is always there; the other interpreters are used where the machine has them.
const installed = WEBHOOK_SAMPLES.filter(
  ({ language }) => spawnSync(PROGRAMS[language]?.command ?? '', ['--version']).status === 0,
);

describe.each(installed)('the sample in $language', ({ language, code }) => {
  const { file = '', call = '' } = PROGRAMS[language] ?? {};
  writeFileSync(join(folder, file), `${code}\n${call}\n`);

  it('returns a message that was signed with the secret, also next to the signature of another one', () => {
    const one = ran(language, { body: BODY, headers: headersOf(BODY, [SECRET]), secret: SECRET });
    const rotated = ran(language, { body: BODY, headers: headersOf(BODY, [OTHER, SECRET]), secret: SECRET });
    expect([one.stdout, one.stderr]).toEqual(['run.finished\n', '']);
    expect([rotated.stdout, rotated.stderr]).toEqual(['run.finished\n', '']);
  });

  it('refuses an altered body, another secret, an old message and a message without a signature', () => {
    const headers = headersOf(BODY, [SECRET]);
    const old = headersOf(BODY, [SECRET], new Date(Date.now() - 600_000));
    const unsigned = { ...headers, 'webhook-signature': '' };
    const inputs = [
      { body: `${BODY} `, headers, secret: SECRET },
      { body: BODY, headers, secret: OTHER },
      { body: BODY, headers: old, secret: SECRET },
      { body: BODY, headers: unsigned, secret: SECRET },
    ];
    for (const input of inputs) {
      const { status, stdout } = ran(language, input);
      expect([status === 0, stdout.includes('run.finished')]).toEqual([false, false]);
    }
  });
});
