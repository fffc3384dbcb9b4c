/** Groups of settings: of the project itself, then those of the catalogue. */
export const GROUPS = ['general', 'scope', 'fetch', 'content', 'output', 'advanced'] as const;
