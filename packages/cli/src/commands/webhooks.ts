import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { CliError, EXIT } from '../exit.ts';
import { addListOptions, type ListFlags, printList } from '../list.ts';
import { addRouteOptions, type OwnWords, routeFields } from '../route-options.ts';
import { list } from '../values.ts';
import { type ListenOptions, listen } from '../webhooks/listen.ts';

/** Events that can be derived from the runs of a project. */
const EVENTS: readonly string[] = ['run.finished', 'page.changed'];

const OWN = {
  projectId: '[project]',
  cursor: '--cursor',
  limit: '--limit',
} as const satisfies OwnWords<'GET /webhooks/deliveries'>;

interface ListenFlags {
  readonly forward: string;
  readonly events?: readonly string[];
  readonly secret?: string;
}

function addListen(webhooks: Command): void {
  webhooks
    .command('listen')
    .description('send the events of new runs of a project to a local URL, signed as webhooks are')
    .argument('<id>', 'project')
    .requiredOption('--forward <url>', 'URL of the local receiver')
    .option('--events <names>', `${EVENTS.join(', ')}; both by default`, list)
    .option('--secret <secret>', 'signing secret (whsec_…); by default a new one, which is printed')
    .addHelpText('before', 'Examples:\n  tidemark webhooks listen prj_01j… --forward http://127.0.0.1:3000/hook\n')
    .action(async (id: string, { forward, events, secret }: ListenFlags, command: Command) => {
      const { client, out, signal } = contextOf(command);
      const unknown = events?.find((name) => !EVENTS.includes(name));
      if (unknown !== undefined)
        throw new CliError(`unknown event ${unknown}: expected ${EVENTS.join(', ')}`, EXIT.usage);
      const signedWith = secret ?? `whsec_${randomBytes(24).toString('base64')}`;
      if (secret === undefined) out.note(`signing secret: ${signedWith}`);
      const options: ListenOptions = {
        project: client().projects.of(id),
        forward,
        secret: signedWith,
        events: new Set(events ?? []),
        onRetry: ({ message }) => out.note(`${message}; will retry`),
        signal,
      };
      out.note(`waiting for runs of ${id}; Ctrl-C ends`);
      for await (const { event, runId, status, error } of listen(options))
        out.text(`${new Date().toISOString()}  ${event}  ${runId}  ${error ?? status}`);
    });
}

export function addWebhooks(program: Command): void {
  const webhooks = program.command('webhooks').description('webhooks, their deliveries, and a local receiver');
  addListOptions(
    webhooks.command('list', { isDefault: true }).description('list the webhooks and chat channels of all projects'),
  ).action(async (flags: ListFlags, command: Command) => {
    const context = contextOf(command);
    const client = context.client();
    await printList(context, flags, {
      atOnce: 200,
      read: (range) => client.page('GET /webhooks', { query: range }),
      columns: ({ projectId, kind, service, url, events, health }) => ({
        projectId,
        kind: service ?? kind,
        url,
        events: events.length === 0 ? 'all' : events,
        health: health.state,
        lastDeliveredAt: health.lastDeliveredAt,
        lastError: health.lastError,
      }),
    });
  });
  const deliveries = addListOptions(
    webhooks
      .command('deliveries')
      .description('list deliveries, newest first: of a project, or of the workspace')
      .argument('[project]', 'project'),
  );
  addRouteOptions(deliveries, 'GET /webhooks/deliveries', OWN).action(
    async (projectId: string | undefined, flags: ListFlags, command: Command) => {
      const context = contextOf(command);
      const client = context.client();
      const query = { ...routeFields(command, 'GET /webhooks/deliveries', OWN), projectId };
      await printList(context, flags, {
        atOnce: 200,
        read: (range) => client.page('GET /webhooks/deliveries', { query: { ...query, ...range } }),
        columns: (one) => ({
          id: one.id,
          event: one.event,
          status: one.status,
          attempts: one.attempts,
          lastStatus: one.lastStatus,
          lastError: one.lastError,
          createdAt: one.createdAt,
        }),
      });
    },
  );
  webhooks
    .command('redeliver')
    .description('send a delivery again')
    .argument('<id>', 'delivery')
    .action(async (id: string, _: object, command: Command) => {
      const { client, out } = contextOf(command);
      const { status } = await client().call('POST /webhooks/deliveries/{id}/redeliver', { path: { id } });
      out.note(`${id}: ${status}`);
    });
  addListen(webhooks);
}
