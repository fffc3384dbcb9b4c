/** Name of the project that a local start creates (deploy/local/sample-project.ts). */
const SAMPLE = 'Sample site';

/** Returns whether a project is that of the bundled sample site. */
export const isSample = ({ name }: { readonly name: string | null }): boolean => name === SAMPLE;
