import { spawn } from 'node:child_process';
import { fillPath, TidemarkError } from '@tidemark/sdk';
import type { Command } from 'commander';
import { contextOf, type GlobalOptions } from '../context.ts';
import { CliError, EXIT, messageOf } from '../exit.ts';
import { readInput } from '../files.ts';
import { settingsOf } from '../values.ts';

const METHODS = new Set(['GET', 'POST', 'PATCH', 'DELETE']);

/** Returns the URL of a path below the base URL. @throws CliError for a path with dot segments, which would lead to another route */
function urlOf(baseUrl: string, path: string): URL {
  const [route = ''] = path.split(/[?#]/);
  if (route.split(/[/\\]/).some((segment) => /^(\.|%2e){1,2}$/i.test(segment)))
    throw new CliError(`the path ${path} has the segment . or .., which leads to another route`, EXIT.usage);
  return new URL(`${baseUrl}${path.startsWith('/') ? '' : '/'}${path}`);
}

/** Sends a raw request to the API. */
async function callApi(command: Command, method: string, path: string, pairs: readonly string[]): Promise<void> {
  const { access, signal, client } = contextOf(command);
  const { workspace } = command.optsWithGlobals<GlobalOptions>();
  client();
  if (!METHODS.has(method))
    throw new CliError(`unknown method ${method}: expected ${[...METHODS].join(', ')}`, EXIT.usage);
  const isRead = method === 'GET' || method === 'DELETE';
  const url = urlOf(access.baseUrl, path);
  const given = settingsOf(pairs);
  if (isRead) for (const [name, value] of Object.entries(given)) url.searchParams.set(name, String(value));
  const input = command.opts<{ input?: string }>().input;
  const body = input === undefined ? JSON.stringify(given) : await readInput(input, signal);
  const unreached = (cause: unknown): never => {
    throw new TidemarkError({ code: 'network', message: `no response from ${url.href}: ${messageOf(cause)}`, cause });
  };
  const response = await fetch(url, {
    method,
    headers: {
      authorization: `Bearer ${access.apiKey}`,
      ...(isRead ? {} : { 'content-type': 'application/json' }),
      ...(workspace === undefined ? {} : { 'x-service-tenant': workspace }),
    },
    ...(isRead ? {} : { body }),
    signal,
  }).catch(unreached);
  await printBody(response);
  if (!response.ok) {
    process.stderr.write(`error: ${method} ${url.pathname} responded with ${response.status}\n`);
    process.exitCode = response.status === 401 ? EXIT.signIn : EXIT.failed;
  }
}

/** Prints the body as it arrives, and ends JSON with a line break. */
async function printBody({ body, headers }: Response): Promise<void> {
  if (body !== null) for await (const chunk of body) process.stdout.write(chunk);
  if (headers.get('content-type')?.startsWith('application/json') === true) process.stdout.write('\n');
}

export function addApi(program: Command): void {
  program
    .command('api')
    .description('send a request to any route and print the response')
    .argument('<method>', 'GET, POST, PATCH or DELETE')
    .argument('<path>', 'path below the base URL, such as /projects')
    .argument('[fields...]', 'KEY=VALUE: fields of the body, or of the query')
    .option('--input <file>', 'body from a file; - is standard input')
    .addHelpText(
      'before',
      'Examples:\n  tidemark api GET /projects limit=5\n  tidemark api POST /map url=https://example.com/\n',
    )
    .action((method: string, path: string, pairs: string[], _: object, command: Command) =>
      callApi(command, method.toUpperCase(), path, pairs),
    );
  program
    .command('open')
    .description('open the console in the browser, at a project or its run, or the documentation of the API')
    .argument('[id]', 'project')
    .argument('[run]', 'run of the project')
    .option('--docs', 'the documentation of the API')
    .addHelpText('before', 'Examples:\n  tidemark open prj_01j…\n  tidemark open --docs\n')
    .action((id: string | undefined, run: string | undefined, { docs }: { docs?: true }, command: Command) => {
      const { access, out } = contextOf(command);
      const { origin } = new URL(access.baseUrl);
      const template = id === undefined ? '/' : run === undefined ? '/projects/{id}' : '/projects/{id}/runs/{run}';
      const url = docs === true ? `${access.baseUrl}/docs` : `${origin}${fillPath(template, { id, run })}`;
      out.text(url);
      if (process.stdout.isTTY) showInBrowser(url);
    });
}

/** Opens a URL in the browser, where there is one. */
function showInBrowser(url: string): void {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  spawn(program, [url], { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
}
