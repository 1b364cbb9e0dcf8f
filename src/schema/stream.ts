import { Subscription } from 'type-graphql';

/** What a subscription's method answers: its events, as they come. */
export type Stream<Event> = AsyncGenerator<Event, undefined>;

/**
 * Marks a method as a subscription. Unlike TypeGraphQL's own, the method is called once, with checked arguments, and
 * answers the stream itself (`buildGraph` sees to that), so that it reads like a query: load with permission, open,
 * return.
 */
export const Streams = (type: () => object, options: { description: string }): MethodDecorator =>
  Subscription(type, {
    ...options,
    subscribe: () => {
      throw new Error('The stream is opened by the method.');
    },
  });
