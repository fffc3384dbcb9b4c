export { openRequest, type RequestOptions, sealRequest } from './sealed-request.ts';
export { fingerprintOf, Sealer } from './sealer.ts';
