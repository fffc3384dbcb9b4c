import type { Exit } from '../src/exits/exit-list.ts';
import { type ExitRequest, Exits, type ExitsDeps, type ProbeResult } from '../src/exits/exits.ts';
import { LocalExitStore } from '../src/exits/local-exit-store.ts';

export const exit = (name: string, country = ''): Exit => ({
  name,
  url: `http://user:secret@${name}.example`,
  country,
  kind: 'residential',
});
export const HOST = 'a.example';
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const exitRequest = (more: Partial<ExitRequest> = {}): ExitRequest => ({
  host: HOST,
  country: '',
  session: '',
  tried: [],
  ...more,
});

/** Creates exits whose clock and probe results are set by the test. */
export function startTestExits(list: readonly Exit[], deps: Partial<ExitsDeps> = {}) {
  const clock = { now: 1_000_000 };
  const probed: string[] = [];
  let probe: ProbeResult = { outcome: 'failed', bytes: 10 };
  const exits = new Exits(list, {
    store: new LocalExitStore(),
    now: () => clock.now,
    random: () => 0,
    probe: async ({ name }) => {
      probed.push(name);
      return probe;
    },
    ...deps,
  });
  const kill = async (name: string) => {
    for (let i = 0; i < 3; i++) await exits.report(name, HOST, 'failed', 0);
  };
  const refuse = async (name: string, host = HOST) => {
    for (let i = 0; i < 3; i++) await exits.report(name, host, 'refused', 5);
  };
  const viewOf = async (name: string) => (await exits.view()).find((view) => view.name === name);
  const picked = async (more: Partial<ExitRequest> = {}) => (await exits.pick(exitRequest(more)))?.name;
  return {
    exits,
    clock,
    probed,
    picked,
    kill,
    refuse,
    viewOf,
    setProbeResult: (result: ProbeResult) => (probe = result),
  };
}
