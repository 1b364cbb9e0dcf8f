import { Subscription } from 'type-graphql';

/** The result of a subscription's method: its events as they occur. */
export type Stream<Event> = AsyncGenerator<Event, undefined>;

/**
 * Marks a method as a subscription. Unlike in TypeGraphQL, the method is called once with checked arguments and returns
 * the stream itself (`buildGraph` arranges that). So it reads like a query: load with permission, open, return.
 */
export const Streams = (type: () => object, options: { description: string }): MethodDecorator =>
  Subscription(type, {
    ...options,
    subscribe: () => {
      throw new Error('The stream is opened by the method.');
    },
  });
