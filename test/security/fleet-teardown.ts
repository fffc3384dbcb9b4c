// biome-ignore lint/style/noDefaultExport: jest loads a global teardown so.
export { tearDown as default } from './fleet-setup.ts';
