// `npm start`: runs all of Tidemark on this machine without configuration.
import { startBillingDemo } from './billing-demo.ts';
import { type EnsuredCredentials, ensureCredentials } from './credentials.ts';
import { type Flags, HELP, parseFlags } from './flags.ts';
import { messageOf, Problem } from './problem.ts';
import { makeProgress } from './progress.ts';
import { ensureSampleProject } from './sample-project.ts';
import { selfCheck } from './self-check.ts';
import { startStack } from './stack.ts';
import { defaultDataDir } from './stack-context.ts';
import type { Stack } from './stack-types.ts';
import { onStopSignal } from './stop-signal.ts';
import { agentsText, sampleProjectText, selfCheckText, welcomeText } from './welcome.ts';

const say = (text: string): void => console.log(text);
process.stdout.on('error', () => {}); // stdout is closed (npm start | head): the fleet keeps running

async function start(flags: Flags): Promise<void> {
  const startedAt = performance.now();
  const stopping = new AbortController();
  const progress = makeProgress(say);
  say(`Tidemark is starting; its data is in ${defaultDataDir()}`);
  const stopRequested = onStopSignal(stopping, say);
  const dataDir = defaultDataDir();
  const demo = flags.billingDemo ? await startBillingDemo({ dataDir, restPort: flags.port }) : undefined;
  const plan = demo === undefined ? 'self_hosted' : 'free';
  const defaultPlan = { TIDEMARK_DEFAULT_PLAN: process.env['TIDEMARK_DEFAULT_PLAN'] ?? plan };
  const stack = await startStack({
    dataDir,
    port: flags.port,
    processPerService: flags.processPerService,
    egressAllow: process.env['TIDEMARK_EGRESS_ALLOW'] ?? '',
    env: { billing: { ...defaultPlan, ...demo?.env }, identity: defaultPlan },
    paymentPorts: demo === undefined ? [] : [Number(new URL(demo.url).port)],
    keepAlive: true,
    console: true,
    progress,
    signal: stopping.signal,
  });
  try {
    const credentials = await progress.step(
      'key',
      () => ensureCredentials(stack),
      ({ file }) => `in ${file}`,
    );
    const page = `${stack.sampleSite.url}/docs/getting-started`;
    say(selfCheckText(await selfCheck(credentials, page)));
    say(welcomeText(credentials, page, process.stdout.isTTY));
    say(agentsText(stack.mcpUrl));
    if (demo !== undefined) say(`  Payments: the sandbox at ${demo.url}; no money is moved.`);
    say(`  Started in ${((performance.now() - startedAt) / 1000).toFixed(1)} s.`);
    void announceSampleProject(stack, credentials, stopping.signal);
    await stopRequested;
  } finally {
    await stack.stop();
    await demo?.close();
    say('Stopped.');
  }
}

/** Runs in the background, because the fleet works without it. */
async function announceSampleProject(
  stack: Stack,
  credentials: EnsuredCredentials,
  signal: AbortSignal,
): Promise<void> {
  try {
    const { project, isNew } = await ensureSampleProject(stack, credentials, signal);
    if (isNew) say(sampleProjectText(credentials, project));
  } catch (error) {
    if (!signal.aborted) say(`  The sample project could not be made; the next start tries again: ${messageOf(error)}`);
  }
}

async function main(): Promise<void> {
  const flags = parseFlags(process.argv.slice(2));
  if (flags.help) say(HELP);
  else await start(flags);
}

try {
  await main();
  process.exit(0);
} catch (error) {
  // A Problem has a message for the user; any other error is a defect and is printed with its stack.
  console.error(
    `\n${error instanceof Problem ? `tidemark: ${messageOf(error)}` : error instanceof Error ? error.stack : error}`,
  );
  process.exit(1);
}
