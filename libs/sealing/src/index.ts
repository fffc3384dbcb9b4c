export { Sealer } from './sealer.ts';
