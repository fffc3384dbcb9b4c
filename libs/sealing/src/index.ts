export { openRequest, type RequestOptions, sealRequest } from './sealed-request.ts';
export { Sealer } from './sealer.ts';
