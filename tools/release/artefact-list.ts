import { SERVICES } from '../../deploy/services.ts';

/** Something that is delivered, and the workspace packages it contains. */
export interface Artefact {
  readonly name: string;
  readonly packages: readonly string[];
}

/** Every artefact that contains npm packages. The Python package and the chart contain no code of others. */
export const ARTEFACTS: readonly Artefact[] = [
  { name: 'sdk', packages: ['@tidemark/sdk'] },
  // One file with everything it imports; commander is the only package of others besides those of the tools for agents.
  { name: 'cli', packages: ['@tidemark/cli', '@tidemark/mcp-tools', '@tidemark/sdk'] },
  ...SERVICES.map((service) => ({
    name: `image-${service}`,
    packages: [`@tidemark/${service}`, ...(service === 'gateway' ? ['@tidemark/console'] : [])],
  })),
  // The image of the migrations and of tidemark-admin, and the image for one machine, contain the whole workspace.
  {
    name: 'image-all-in-one',
    packages: ['tidemark', ...SERVICES.map((service) => `@tidemark/${service}`), '@tidemark/console'],
  },
];
