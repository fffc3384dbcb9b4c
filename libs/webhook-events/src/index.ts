export {
  DELIVERY_RULES,
  delayText,
  EXAMPLE_DELIVERY_ID,
  isRetriedStatus,
  RESPONSE_SECONDS,
  RETRIED_CLIENT_ERRORS,
  RETRY_DELAYS_MINUTES,
  WEBHOOK_HEADERS,
} from './delivery-rules.ts';
export { BATCH_EVENT_KINDS, CRAWL_EVENTS } from './job-events.ts';
export {
  EVENT_NAMES,
  EVENTS,
  type EventData,
  type EventName,
  exampleOf,
  isEventName,
  MessageEnvelope,
  messageSchema,
} from './message.ts';
