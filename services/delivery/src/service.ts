import { DeliveryServiceService } from '@tidemark/contracts/delivery/v1/delivery';
import { Bus, defineService, openPool, pingDatabase } from '@tidemark/service';
import { config } from './config.ts';
import { deliveryGrpc } from './grpc/delivery-methods.ts';

/** Telling people and machines: whoever asked to know does, once, signed, with proof of every attempt. */
export const delivery = defineService({
  name: 'delivery',
  config,
  async start(app) {
    const pool = app.own(openPool(app.config.DATABASE_URL, 'delivery'));
    const bus = app.own(await Bus.connect(app.config.NATS_URL, 'delivery', app.log));
    app.serve(DeliveryServiceService, deliveryGrpc());
    app.ready('postgres', () => pingDatabase(pool));
    app.ready('nats', () => bus.ping());
    await bus.prepare();
  },
});
