import type { NatsConnection } from '@nats-io/transport-node';
import type { Control } from '@tidemark/contracts';

/** Sends and receives control messages over core NATS: at most once, and only to instances that are connected. */
export class ControlChannel {
  readonly #connection: NatsConnection;

  constructor(connection: NatsConnection) {
    this.#connection = connection;
  }

  /** Sends a message. Never throws; while the server is unavailable the message may be lost. */
  send<T>(control: Control<T>, message: T): void {
    if (this.#connection.isClosed() || this.#connection.isDraining()) return;
    this.#connection.publish(control.subject, control.codec.encode(message).finish());
  }

  /**
   * Calls `listener` with every message. With `group`, each message goes to one instance of that group.
   * An error thrown by `listener` is the caller's to avoid.
   */
  receive<T>(control: Control<T>, listener: (message: T) => void, group?: string): void {
    this.#connection.subscribe(control.subject, {
      ...(group === undefined ? {} : { queue: group }),
      callback: (error, message) => {
        if (error === null) listener(control.codec.decode(message.data));
      },
    });
  }
}
